package cluster

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// duplicates is how long the server knows the ID of a message: the time in which a publish whose
// acknowledgement was lost may be repeated.
const duplicates = time.Minute

// checkVersion refuses servers that are too old: schedules came with 2.12.
func checkVersion(version string) error {
	if atLeast(version, 12) {
		return nil
	}
	return fmt.Errorf("%w: nats-server %s, and 2.12 is needed for schedules", ErrUnsupported, version)
}

// atLeast tells whether a server is of version 2.minor or later. One that is not connected yet, or
// does not tell, is: the stream will tell.
func atLeast(version string, minor int) bool {
	parts := strings.SplitN(version, ".", 3)
	if len(parts) < 2 {
		return true
	}
	first, err1 := strconv.Atoi(parts[0])
	second, err2 := strconv.Atoi(parts[1])
	return err1 != nil || err2 != nil || first > 2 || first == 2 && second >= minor
}

// deadSuffix ends the name of the stream of the failed set. No pool has a name that ends so.
const deadSuffix = "_DEAD"

func (p *Pool) streamName() string { return "PUNCTUAL_" + p.settings.name }
func (p *Pool) deadName() string   { return "PUNCTUAL_" + p.settings.name + deadSuffix }
func (p *Pool) bucketName() string { return "PUNCTUAL_" + p.settings.name }

// makeStreams makes the stream of what is to do, the bucket of outcomes and the failed set, or finds
// them.
func (p *Pool) makeStreams(ctx context.Context) error {
	stream, err := p.findOrMake(ctx, jetstream.StreamConfig{
		Metadata:           map[string]string{protocolKey: strconv.Itoa(protocol)},
		Name:               p.streamName(),
		Description:        "what the tasks of pool " + p.settings.name + " have to do",
		Subjects:           []string{p.on.allArmed(), p.on.allRuns()},
		Retention:          jetstream.LimitsPolicy, // see queue.go
		Storage:            jetstream.FileStorage,
		Replicas:           max(p.replicas, 1),
		Duplicates:         min(duplicates, p.keep), // what is forgotten may be submitted anew
		AllowMsgSchedules:  true,
		AllowAtomicPublish: true,
	})
	if err != nil {
		return err
	}
	p.stream = stream
	if stream.CachedInfo().Config.AllowAtomicPublish && p.batching() {
		p.submissions.batch = p.publishBatch
	}
	if err := p.findOrMakeFailed(ctx); err != nil {
		return err
	}
	return p.findOrMakeBucket(ctx)
}

func (p *Pool) findOrMakeFailed(ctx context.Context) (err error) {
	p.dead, err = p.findOrMake(ctx, jetstream.StreamConfig{
		Name:               p.deadName(),
		Description:        "tasks of pool " + p.settings.name + " that have failed",
		Subjects:           []string{p.on.allDead()},
		Storage:            jetstream.FileStorage,
		Replicas:           max(p.replicas, 1),
		MaxAge:             p.keepFailed,
		Duplicates:         min(duplicates, p.keepFailed),
		AllowAtomicPublish: true,
	})
	if err == nil && p.dead.CachedInfo().Config.AllowAtomicPublish && p.batching() {
		p.letters.batch = p.publishBatch
	}
	return err
}

func (p *Pool) findOrMake(
	ctx context.Context, want jetstream.StreamConfig,
) (jetstream.Stream, error) {
	stream, err := p.find(ctx, want.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = p.js.CreateStream(ctx, want)
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another replica was first
			stream, err = p.js.Stream(ctx, want.Name)
		}
	}
	if err == nil {
		err = checkMoved(stream.CachedInfo().Config)
	}
	if err != nil {
		return nil, err
	}
	if want.Metadata[protocolKey] != "" {
		if err := checkProtocol(stream.CachedInfo().Config); err != nil {
			return nil, err
		}
	}
	if p.replicas == 0 {
		want.Replicas = 0
	}
	return stream, sameShape(stream.CachedInfo().Config, want)
}

// sameShape tells whether a stream that exists will do. Descriptions and placement are the
// operator's; what would lose a task is not.
func sameShape(got, want jetstream.StreamConfig) error {
	wrong := func(what string, is, should any) error {
		return fmt.Errorf("%w: stream %s has %s %v instead of %v",
			ErrShape, want.Name, what, is, should)
	}
	switch {
	case strings.Join(got.Subjects, " ") != strings.Join(want.Subjects, " "):
		return wrong("subjects", got.Subjects, want.Subjects)
	case got.Retention != want.Retention:
		return wrong("retention", got.Retention, want.Retention)
	case got.NoAck:
		return wrong("acknowledgements", "off", "on")
	case got.Storage != want.Storage:
		return wrong("storage", got.Storage, want.Storage)
	case want.AllowMsgSchedules && !got.AllowMsgSchedules:
		return wrong("schedules", "off", "on")
	case want.AllowMsgSchedules && got.DenyDelete:
		return wrong("removing of messages", "denied", "allowed")
	case want.AllowMsgTTL && !got.AllowMsgTTL:
		return wrong("times to live", "off", "on")
	case want.MaxMsgsPerSubject != 0 && got.MaxMsgsPerSubject != want.MaxMsgsPerSubject:
		return wrong("messages of a subject", got.MaxMsgsPerSubject, want.MaxMsgsPerSubject)
	case want.Replicas != 0 && got.Replicas != want.Replicas:
		return wrong("replicas", got.Replicas, want.Replicas)
	case want.MaxAge == 0 && (got.MaxMsgs > 0 || got.MaxBytes > 0 || got.MaxAge > 0 ||
		got.MaxMsgsPerSubject > 0 && want.MaxMsgsPerSubject == 0):
		return fmt.Errorf("%w: stream %s has a limit, at which it would drop accepted tasks",
			ErrShape, want.Name)
	}
	return nil
}

// findOrMakeBucket opens the bucket and its stream last, after that is as it should be, whichever
// replica has made it so: a handle reads in the way that the stream allowed when it was opened.
func (p *Pool) findOrMakeBucket(ctx context.Context) error {
	stream, err := p.js.Stream(ctx, "KV_"+p.bucketName())
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		stream, err = p.makeBucket(ctx)
	}
	if err == nil {
		err = p.checkBucket(stream.CachedInfo().Config)
	}
	if err == nil {
		err = p.configureBucket(ctx, stream.CachedInfo().Config)
	}
	if err == nil {
		p.bucket, err = p.js.KeyValue(ctx, p.bucketName())
	}
	if err == nil {
		p.kept, err = p.js.Stream(ctx, "KV_"+p.bucketName())
	}
	return err
}

func (p *Pool) makeBucket(ctx context.Context) (jetstream.Stream, error) {
	_, err := p.js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
		Bucket:      p.bucketName(),
		Description: "outcomes of the tasks of pool " + p.settings.name,
		TTL:         p.keep,
		Storage:     jetstream.FileStorage,
		Replicas:    max(p.replicas, 1),
	})
	if err != nil && !errors.Is(err, jetstream.ErrBucketExists) {
		return nil, err
	}
	return p.js.Stream(ctx, "KV_"+p.bucketName())
}

// checkBucket tells whether a bucket that exists will do. At a limit it would refuse outcomes, or
// drop them, and what has run would run again.
func (p *Pool) checkBucket(got jetstream.StreamConfig) error {
	if got.MaxMsgs > 0 || got.MaxBytes > 0 || got.MaxMsgSize > 0 {
		return fmt.Errorf("%w: stream %s has a limit, at which it would refuse or drop outcomes",
			ErrShape, got.Name)
	}
	return sameShape(got, jetstream.StreamConfig{
		Name:              got.Name,
		Subjects:          got.Subjects,
		Storage:           jetstream.FileStorage,
		Replicas:          p.replicas,
		MaxMsgsPerSubject: got.MaxMsgsPerSubject,
		MaxAge:            got.MaxAge,
	})
}

// configureBucket makes the bucket's values be read where they are written: any replica may answer
// otherwise, and one that lags does not know what has just been stored. And it allows batches, and
// figures that do not age.
func (p *Pool) configureBucket(ctx context.Context, config jetstream.StreamConfig) error {
	p.keep = config.MaxAge
	if p.batching() {
		p.outcomes.batch = p.publishBatch
	}
	if !config.AllowDirect && config.AllowAtomicPublish && config.AllowMsgTTL {
		return nil
	}
	config.AllowDirect, config.AllowAtomicPublish, config.AllowMsgTTL = false, true, true
	_, err := p.js.UpdateStream(ctx, config)
	return err
}

// consumer makes the consumer of a task, which all replicas that serve it share. Its lease is the
// longest that any of them has asked for: one with a longer lease than the server's would lose runs
// between two heartbeats, and one with a shorter lease loses nothing.
func (p *Pool) consumer(ctx context.Context, t *definition) (jetstream.Consumer, error) {
	config := jetstream.ConsumerConfig{
		Durable:       token(t.name),
		Description:   "runs of task " + t.name,
		FilterSubject: p.on.runs(t.name),
		AckPolicy:     jetstream.AckExplicitPolicy,
		AckWait:       t.lease,
		MaxDeliver:    -1, // who gives up is decided by a worker, which keeps the payload
		MaxAckPending: t.atOnce,
		MaxWaiting:    4_096,
	}
	made, err := p.stream.CreateConsumer(ctx, config)
	if !errors.Is(err, jetstream.ErrConsumerExists) {
		return made, err
	}
	found, err := p.stream.Consumer(ctx, config.Durable)
	if err != nil {
		return nil, err
	}
	p.tellLimit(t, found.CachedInfo().Config)
	if has := found.CachedInfo().Config.AckWait; has > t.lease {
		p.logger.Warn("another replica serves the task with a longer lease, which holds until the "+
			"consumer is deleted", "pool", p.settings.name, "task", t.name, "consumer", config.Durable,
			"lease", t.lease, "longer", has)
		config.AckWait = has
	}
	return p.stream.UpdateConsumer(ctx, config)
}

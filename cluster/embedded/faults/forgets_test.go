package faults

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster/embedded"
)

// These are trials of the server, without package cluster: why nothing on the queue is rolled up or
// purged. A, B and C are delivered and not acknowledged, B is taken out, C is acknowledged.
//
// If the first trial fails because the server has delivered A again, its fault is mended: what
// cluster/cancel.go and docs/cluster.md say about it can name the last version that has it. If the
// second fails, a way that the package relies on is broken, and this server must not be used.

// deliversAgain tells whether A is delivered again after B was taken out: after a restart of a
// server with one replica, or, of three, after another has become the consumer's leader.
func deliversAgain(
	t *testing.T, js jetstream.JetStream, replicas int, again func() jetstream.JetStream,
	out takeOut,
) bool {
	t.Helper()
	ctx := testContext(t, time.Minute)
	var stream jetstream.Stream
	require.Eventually(t, func() bool {
		attempt, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		var err error
		stream, err = js.CreateStream(attempt, jetstream.StreamConfig{
			Name: "Q", Subjects: []string{"run.>"}, Retention: jetstream.WorkQueuePolicy,
			AllowRollup: true, Replicas: replicas,
		})
		return err == nil
	}, 40*time.Second, 100*time.Millisecond)
	consumer, err := stream.CreateConsumer(ctx, jetstream.ConsumerConfig{Durable: "c",
		FilterSubject: "run.>", AckPolicy: jetstream.AckExplicitPolicy, AckWait: 3 * time.Second})
	require.NoError(t, err)
	if replicas > 1 {
		leadBoth(ctx, t, js, stream, consumer)
	}
	held := map[string]jetstream.Msg{}
	for _, name := range []string{"A", "B", "C"} {
		_, err := js.Publish(ctx, "run."+name, []byte(name))
		require.NoError(t, err)
	}
	batch, err := consumer.Fetch(3)
	require.NoError(t, err)
	for m := range batch.Messages() {
		held[string(m.Data())] = m
	}
	require.Len(t, held, 3)
	require.NoError(t, out(ctx, js, stream))
	require.NoError(t, held["C"].DoubleAck(ctx))
	js = again()
	consumer, err = js.Consumer(ctx, "Q", "c")
	require.NoError(t, err)
	batch, err = consumer.Fetch(10, jetstream.FetchMaxWait(6*time.Second))
	require.NoError(t, err)
	for m := range batch.Messages() {
		if string(m.Data()) == "A" {
			return true
		}
	}
	return false
}

// leadBoth makes the leader of the stream that of the consumer as well.
func leadBoth(
	ctx context.Context, t *testing.T, js jetstream.JetStream,
	stream jetstream.Stream, consumer jetstream.Consumer,
) {
	t.Helper()
	require.Eventually(t, func() bool {
		of, err := stream.Info(ctx)
		by, err2 := consumer.Info(ctx)
		if err != nil || err2 != nil || of.Cluster.Leader == "" || by.Cluster.Leader == "" {
			return false
		}
		if of.Cluster.Leader == by.Cluster.Leader {
			return true
		}
		stepDown(t, js)
		return false
	}, 30*time.Second, 500*time.Millisecond)
}

func stepDown(t *testing.T, js jetstream.JetStream) {
	t.Helper()
	_, err := js.Conn().Request("$JS.API.CONSUMER.LEADER.STEPDOWN.Q.c", nil, 5*time.Second)
	require.NoError(t, err)
}

// alone takes B out of the queue of one server, which is started again.
func alone(t *testing.T, out takeOut) bool {
	t.Helper()
	dir := t.TempDir()
	var server *embedded.Server
	begin := func() jetstream.JetStream {
		var err error
		server, err = embedded.Start(testContext(t, time.Minute), dir)
		require.NoError(t, err)
		t.Cleanup(server.Close)
		conn, err := server.Conn()
		require.NoError(t, err)
		t.Cleanup(conn.Close)
		js, err := jetstream.New(conn)
		require.NoError(t, err)
		return js
	}
	js := begin()
	return deliversAgain(t, js, 1, func() jetstream.JetStream {
		server.Close()
		return begin()
	}, out)
}

// three takes B out of the queue of three servers, whose consumer changes its leader.
func three(t *testing.T, out takeOut) bool {
	t.Helper()
	ns := startNodes(t, 3)
	js := jetStream(t, ns)
	return deliversAgain(t, js, 3, func() jetstream.JetStream {
		stepDown(t, js)
		time.Sleep(2 * time.Second)
		return js
	}, out)
}

// takeOut is how B is taken out.
type takeOut func(context.Context, jetstream.JetStream, jetstream.Stream) error

func byRollUp(ctx context.Context, js jetstream.JetStream, _ jetstream.Stream) error {
	m := nats.NewMsg("run.B")
	m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	m.Data = []byte("b")
	_, err := js.PublishMsg(ctx, m)
	return err
}

func byPurge(ctx context.Context, _ jetstream.JetStream, s jetstream.Stream) error {
	return s.Purge(ctx, jetstream.WithPurgeSubject("run.B"))
}

func bySequence(ctx context.Context, _ jetstream.JetStream, s jetstream.Stream) error {
	return s.DeleteMsg(ctx, 2)
}

func TestTheServerForgetsWhatIsBelowARollUp(t *testing.T) {
	const mended = "the server has delivered A again: see the comment above"
	for name, out := range map[string]takeOut{"roll-up": byRollUp, "purge": byPurge} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 5 { // on a busy machine A may come again before the restart
				if !alone(t, out) {
					return
				}
			}
			require.Fail(t, mended)
		})
	}
	t.Run("roll-up, three servers", func(t *testing.T) {
		t.Parallel()
		for range 5 { // a leader may change by itself, and then A is kept
			if !three(t, byRollUp) {
				return
			}
		}
		require.Fail(t, mended)
	})
}

func TestTheServerKeepsWhatIsBelowAMessageTakenOutByItsSequence(t *testing.T) {
	for name, on := range map[string]func(*testing.T, takeOut) bool{"one": alone, "three": three} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.True(t, on(t, bySequence))
		})
	}
}

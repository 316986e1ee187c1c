package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A key of [Once] has one task at a time. Its tasks are numbered, as one that was cancelled frees
// it for another, and each has an ID of its own:
//
//	free    -> claimed    a record of the key has the number of the task
//	claimed -> stored     the task is accepted, and the record says so
//	stored  -> free       the task was cancelled, or has failed, and that frees the key
//	stored  -> free       neither message nor outcome shows for ten seconds: the task was purged
//
// The claim comes before the task and the mark after it. A process that finds a claim without the
// mark cannot know whether the task was stored, so it stores it too: the server knows the ID again
// for a minute, and later a run that waits or an outcome shows. A claim is forgotten after [Keep],
// and then too they show that the key is taken. What is left is that a process dies right after
// storing, the task ends within that minute, and is stored again: then its outcome exists, and no
// worker begins it.
type onceKey struct {
	task         string
	sum          string // of the task's name and the key
	unlessFailed bool
	forGood      bool // a task that was cancelled does not free it

	most     int    // the last number that may be stored; 0 for any
	redriven string // the ID of the failed task that is stored anew; empty for none
}

func onceKeyOf(task string, s submission) onceKey {
	sum := sha256.Sum256([]byte(task + "\x00" + s.key))
	return onceKey{task: task, sum: hex.EncodeToString(sum[:16]), unlessFailed: s.unlessFailed}
}

// id is the ID of the key's task of a number. The first has none in it.
func (k onceKey) id(number int) string {
	if number == 0 {
		return "once." + k.sum
	}
	return fmt.Sprintf("once.%s.%d", k.sum, number)
}

// later is a pattern of the IDs of all but the first.
func (k onceKey) later() string { return "once." + k.sum + ".>" }

// numberOf is the number of a task, by a subject that ends with its ID.
func (k onceKey) numberOf(subject string) int {
	_, number, _ := strings.Cut(subject, "once."+k.sum+".")
	n, _ := strconv.Atoi(number) // none is the first
	return n
}

// freedBy tells whether an outcome of its task frees the key.
func (k onceKey) freedBy(o outcome) bool {
	return o.kind == cancelled && !k.forGood || k.unlessFailed && o.kind != succeeded
}

// onceClaim is the record of a key.
type onceClaim struct {
	number   int
	stored   bool
	revision uint64 // 0 if there is no record
}

const markStored = "stored"

func (c onceClaim) String() string {
	var words []string
	if c.number > 0 {
		words = append(words, strconv.Itoa(c.number))
	}
	if c.stored {
		words = append(words, markStored)
	}
	return strings.Join(words, " ")
}

func readOnceClaim(text string, revision uint64) (c onceClaim, err error) {
	c.revision = revision
	for _, word := range strings.Fields(text) {
		if c.stored = word == markStored; !c.stored {
			c.number, err = strconv.Atoi(word)
		}
	}
	if err != nil {
		err = fmt.Errorf("cluster: the claim of a key that cannot be read: %q: %w", text, err)
	}
	return c, err
}

// submitOnce stores a task unless its key is taken, and returns the ID of the one that has it.
//
// A claim that is refused and yet is not there is another's that has not come through, and perhaps
// never will; so it is asked for again.
func (p *Pool) submitOnce(
	ctx context.Context, k onceKey, due time.Time, payload []byte,
) (id string, err error) {
	var missed time.Time
	err = p.persist(ctx, "submitting a task once", func(ctx context.Context) error {
		c, err := p.claimOfKey(ctx, k)
		if err != nil {
			return err
		}
		free, err := p.firstFree(ctx, k, c, &missed)
		if k.most > 0 && free.number > k.most { // it was stored, and has ended
			id = k.id(k.most)
			return err
		}
		if id = k.id(free.number); free.stored || err != nil {
			return err
		}
		if c.revision == 0 || c.number != free.number {
			if free.revision, err = p.setClaimOfKey(ctx, k, free); err != nil {
				return err
			}
		}
		if err := p.accept(ctx, taskPlace(k.task, id), id, due, payload, k.redriven); err != nil {
			return err
		}
		free.stored = true
		if _, err = p.setClaimOfKey(ctx, k, free); errors.Is(err, errUndecided) {
			return nil // marked by another, or free again
		}
		return err
	})
	return id, err
}

// firstFree is the first task of a key, from that of its claim on, that does not free it: one that
// has the key, which is stored then, or that is to be stored.
// missed is since when a task that was stored does not show.
func (p *Pool) firstFree(
	ctx context.Context, k onceKey, c onceClaim, missed *time.Time,
) (onceClaim, error) {
	for {
		id := k.id(c.number)
		// Asked first, as a task leaves the queue after its outcome is recorded; and even if it was
		// stored, as it may have been purged.
		m, err := p.last(ctx, p.on.any(taskPlace(k.task, id)))
		if err != nil {
			return c, err
		}
		o, ended, err := p.results.recorded(ctx, id)
		if err != nil {
			return c, err
		}
		purged := c.stored && m == nil && !ended
		if purged && missed.IsZero() {
			*missed = time.Now()
		}
		if purged && time.Since(*missed) < elections { // a server that is cut off answers so too
			return c, errUndecided
		}
		if purged || ended && k.freedBy(o) {
			c.number, c.stored = c.number+1, false
			continue
		}
		c.stored = m != nil || ended
		return c, nil
	}
}

// claimOfKey reads the record of a key. Where there is none, it is told by what there is of its
// tasks.
func (p *Pool) claimOfKey(ctx context.Context, k onceKey) (c onceClaim, err error) {
	entry, err := p.bucket.Get(ctx, k.claim())
	if err == nil {
		return readOnceClaim(string(entry.Value()), entry.Revision())
	}
	if !errors.Is(err, jetstream.ErrKeyNotFound) {
		return c, err
	}
	waiting, err := p.last(ctx, p.on.any(taskPlace(k.task, k.later())))
	if err != nil {
		return c, err
	}
	ended, err := p.results.last(ctx, p.results.either(k.later()))
	if err != nil {
		return c, err
	}
	for _, m := range []*jetstream.RawStreamMsg{waiting, ended} {
		if m != nil {
			c.number = max(c.number, k.numberOf(m.Subject))
		}
	}
	return c, nil
}

// setClaimOfKey writes the record of a key, if it is as it was read. Otherwise it is errUndecided.
func (p *Pool) setClaimOfKey(ctx context.Context, k onceKey, c onceClaim) (uint64, error) {
	var revision uint64
	var err error
	if c.revision == 0 {
		revision, err = p.bucket.Create(ctx, k.claim(), []byte(c.String()))
	} else {
		revision, err = p.bucket.Update(ctx, k.claim(), []byte(c.String()), c.revision)
	}
	if errors.Is(err, jetstream.ErrKeyExists) || conflict(err) || undecided(err) {
		err = errUndecided
	}
	return revision, err
}

func (k onceKey) claim() string { return "claim." + k.id(0) }

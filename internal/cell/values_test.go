package cell

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type colour struct{}

func coloured(c string) context.Context { return context.WithValue(context.Background(), colour{}, c) }

func TestAContextWithoutValuesIsBare(t *testing.T) {
	limited, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	cancellable, end := context.WithCancelCause(limited)
	defer end(nil)
	c, host := hosted()
	run := enter(t, c)
	for name, ctx := range map[string]context.Context{
		"nil": nil, "background": context.Background(), "to do": context.TODO(),
		"that ends": cancellable, "faithful": Faithful(limited),
		"of a run of the host": run, "derived from that": Faithful(run),
	} {
		assert.Nil(t, Bare(ctx, host), name)
		assert.Nil(t, ValuesOf(ctx, host), name)
	}
	derived, end := context.WithCancelCause(run)
	defer end(nil)
	assert.Nil(t, Bare(derived, host))
	assert.Zero(t, testing.AllocsPerRun(100, func() { Bare(cancellable, host) }))
}

// silent is a context of a type of its own that must not be called.
type silent struct{ context.Context }

func TestAContextOfAnotherTypeIsTakenToHaveValues(t *testing.T) {
	for _, ctx := range []context.Context{
		coloured("red"), plain{context.Background()}, (*silent)(nil), silent{}, uncomparable{},
	} {
		assert.True(t, Bare(ctx, nil) != nil, "%T", ctx)
	}
	ctx := coloured("red")
	within, cancel := context.WithTimeout(Faithful(ctx), time.Hour)
	defer cancel()
	assert.True(t, Bare(within, nil) == ctx)
}

func TestValuesComeBeforeThoseOfTheBaseAndAfterLabels(t *testing.T) {
	type shape struct{}
	base := context.WithValue(coloured("base"), shape{}, "round")
	ctx := ValuesOf(coloured("red"), nil).Over(base, nil)
	assert.Equal(t, "red", ctx.Value(colour{}))
	assert.Equal(t, "round", ctx.Value(shape{}))
	assert.Nil(t, ctx.Value("unknown"))
	ctx = ValuesOf(coloured("red"), nil).Over(base, coloured("label"))
	assert.Equal(t, "label", ctx.Value(colour{}))
	assert.Nil(t, ValuesOf(coloured("red"), nil).Over(nil, nil).Value("unknown"))
}

func TestValuesBringNeitherAnEndNorADeadlineNorACause(t *testing.T) {
	other, cancel := context.WithTimeoutCause(coloured("red"), time.Hour, errOther)
	cancel()
	base, end := context.WithCancelCause(context.Background())
	ctx := ValuesOf(other, nil).Over(base, nil)
	_, limited := ctx.Deadline()
	assert.False(t, limited)
	assert.NoError(t, ctx.Err())
	assert.NoError(t, context.Cause(ctx))
	end(errBoom)
	assert.Equal(t, context.Canceled, ctx.Err())
	assert.Equal(t, errBoom, context.Cause(ctx))
}

// What derives through a goroutine ends later than its parent.
func TestWhatDerivesFromAContextWithValuesAttachesToTheBase(t *testing.T) {
	values, cancel := context.WithCancel(coloured("red"))
	defer cancel()
	base, end := context.WithCancelCause(context.Background())
	ctx, cancel := context.WithCancel(ValuesOf(values, nil).Over(base, nil))
	defer cancel()
	end(errBoom)
	assert.Error(t, ctx.Err())
	assert.Equal(t, errBoom, context.Cause(ctx))
}

// attachable is a context of a type of its own, with the method that package context looks for.
type attachable struct {
	plain
	attached int
}

func (a *attachable) AfterFunc(func()) func() bool {
	a.attached++
	return func() bool { return true }
}

func TestWhatDerivesFromAContextWithValuesAttachesToABaseOfAnotherType(t *testing.T) {
	live, end := context.WithCancel(context.Background())
	defer end()
	base := &attachable{plain: plain{live}}
	_, cancel := context.WithCancel(ValuesOf(coloured("red"), nil).Over(base, nil))
	defer cancel()
	assert.Equal(t, 1, base.attached)
}

func TestARunIsNeverOneOfTheValues(t *testing.T) {
	c, other := &Cell{Plan: &Plan{}}, &Cell{Plan: &Plan{}}
	outer := context.WithValue(enter(t, other), colour{}, "red")
	c.Plan.Base = ValuesOf(outer, nil).Over(nil, nil)
	run := enter(t, c)
	assert.Equal(t, "red", run.Value(colour{}))
	is := func(want *Cell) func(*Cell) bool { return func(run *Cell) bool { return run == want } }
	assert.True(t, Within(run, is(c)))
	assert.False(t, Within(run, is(other)))
	assert.False(t, EndsWith(run, is(other)))
	assert.Equal(t, c, FromContext(run))
}

func TestARunIsFoundInTheBaseBehindValues(t *testing.T) {
	outer, inner := &Cell{Plan: &Plan{}}, &Cell{Plan: &Plan{}}
	inner.Plan.Base = ValuesOf(coloured("red"), nil).Over(enter(t, outer), nil)
	run := enter(t, inner)
	is := func(run *Cell) bool { return run == outer }
	assert.True(t, Within(run, is))
	assert.True(t, EndsWith(run, is))
}

func TestValuesOfARunAreThoseItWasGivenAndTheBaseOfItsHost(t *testing.T) {
	type shape struct{}
	c, host := hosted()
	c.Plan.Given = context.WithValue(coloured("given"), shape{}, "round")
	c.Plan.Base = ValuesOf(coloured("red"), host).Over(c.Plan.Given, coloured("label"))
	run := enter(t, c)

	same := ValuesOf(run, host)
	require.Len(t, same, 1, "each run of the host knows the rest")
	assert.Equal(t, "red", same[0].Value(colour{}))

	_, another := hosted()
	abroad := ValuesOf(run, another)
	require.Len(t, abroad, 2)
	ctx := abroad.Over(nil, nil)
	assert.Equal(t, "red", ctx.Value(colour{}))
	assert.Equal(t, "round", ctx.Value(shape{}))

	c2, _ := hosted()
	c2.Plan.Host, c2.Plan.Base = another, abroad.Over(nil, nil)
	back := ValuesOf(enter(t, c2), host)
	assert.Len(t, back, 2)
	c3 := &Cell{Plan: &Plan{Host: host, Given: c.Plan.Given, Base: back.Over(c.Plan.Given, nil)}}
	assert.Len(t, ValuesOf(enter(t, c3), another), 2, "the same base is not added again")
}

func TestValuesOfARunByHandAreThoseOfItsParent(t *testing.T) {
	c := &Cell{}
	require.True(t, c.Begin())
	run := c.Enter(coloured("red"))
	vs := ValuesOf(run, nil)
	require.Len(t, vs, 1)
	assert.Equal(t, "red", vs[0].Value(colour{}))
	c2 := &Cell{}
	require.True(t, c2.Begin())
	assert.Nil(t, ValuesOf(c2.Enter(nil), nil))
}

// uncomparable is a context of a type that cannot be compared.
type uncomparable struct {
	context.Context
	_ []int
}

func TestContextsThatCannotBeComparedAreNoObstacle(t *testing.T) {
	odd := uncomparable{Context: coloured("red")}
	c := &Cell{Plan: &Plan{Given: odd}}
	c.Plan.Base = ValuesOf(odd, nil).Over(odd, nil)
	_, host := hosted()
	var vs Values
	require.NotPanics(t, func() { vs = ValuesOf(enter(t, c), host) })
	assert.Equal(t, "red", vs.Over(nil, nil).Value(colour{}))
}

package move

import (
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"
)

func TestAStreamThatWasFrozenOrHasArrivedIsAsItWas(t *testing.T) {
	for _, metadata := range []map[string]string{
		{}, {protocolKey: "1"}, {protocolKey: "2", "mine": "kept"},
	} {
		c := jetstream.StreamConfig{
			Name: "PUNCTUAL_x", Subjects: []string{"punctual.x.arm.>", "punctual.x.run.>"},
			Metadata: metadata, Replicas: 1,
		}
		once := frozen(c, "there")
		require.NotEqual(t, c.Subjects, once.Subjects)
		require.Equal(t, once, frozen(once, "there"), "a second time changes nothing")
		require.Equal(t, "there", once.Metadata[movedKey])
		require.Equal(t, c, released(once))

		one := arriving(once, "here", "7", 1)
		require.Equal(t, c.Subjects, one.Subjects)
		require.Equal(t, "here", one.Metadata[arrivingKey])
		require.NotContains(t, one.Metadata, movedKey)
		three := released(arriving(once, "here", "7", 3))
		require.Equal(t, 3, three.Replicas)
		require.Equal(t, "7", three.Metadata[originKey])
		delete(three.Metadata, originKey)
		require.Equal(t, c.Metadata, three.Metadata)
	}
}

func TestThePoolsStreamsAreKnown(t *testing.T) {
	for _, c := range []jetstream.StreamConfig{
		{Name: "PUNCTUAL_x", Subjects: []string{"punctual.x.arm.>", "punctual.x.run.>"}},
		{Name: "PUNCTUAL_x_LATER", Subjects: []string{"punctual.x.later.>"}},
		{Name: "KV_PUNCTUAL_x", Subjects: []string{"$KV.PUNCTUAL_x.>"}},
	} {
		require.True(t, belongs(c, "x"), c.Name)
		require.True(t, belongs(frozen(c, "there"), "x"), c.Name)
	}
	for _, c := range []jetstream.StreamConfig{
		{Name: "PUNCTUAL_xy", Subjects: []string{"punctual.xy.arm.>"}},
		{Name: "PUNCTUAL_x_MORE", Subjects: []string{"punctual.x_MORE.arm.>"}},
		{Name: "KV_PUNCTUAL_x_y", Subjects: []string{"$KV.PUNCTUAL_x_y.>"}},
		{Name: "PUNCTUAL_x_COPY"},
		{Name: "mine", Subjects: []string{"punctual.x.hint.>"}},
	} {
		require.False(t, belongs(c, "x"), c.Name)
	}
}

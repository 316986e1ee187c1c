package eventloop_test

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

func TestStatsAreJSONAndCanBeLogged(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		require.NoError(t, l.Execute(pooltest.Nothing))
		require.NoError(t, l.Close())
		s := l.Stats()
		text, err := json.Marshal(s)
		require.NoError(t, err)
		assert.Contains(t, string(text), `"name":"main","state":"terminated","busy":0`)
		var back eventloop.Stats
		require.NoError(t, json.Unmarshal(text, &back))
		assert.Equal(t, s, back)

		var logged bytes.Buffer
		slog.New(slog.NewJSONHandler(&logged, nil)).Info("", "x", s)
		var record struct{ X json.RawMessage }
		require.NoError(t, json.Unmarshal(logged.Bytes(), &record))
		assert.JSONEq(t, string(text), string(record.X))
	}, executor.Name("main"))
}

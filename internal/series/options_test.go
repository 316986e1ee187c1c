package series_test

import (
	"context"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/series"
)

// Whatever field is set beside these two, tasks with such options are not all alike. A field that is
// added later is found here.
func TestOnlyNameAndPriorityAreNameable(t *testing.T) {
	require.True(t, (&series.Options{Name: "a", Priority: 7}).Nameable())
	fields := reflect.TypeFor[series.Options]()
	for i := range fields.NumField() {
		f := fields.Field(i)
		if f.Name == "Name" || f.Name == "Priority" {
			continue
		}
		o := series.Options{Name: "a", Priority: 7}
		v := reflect.ValueOf(&o).Elem().Field(i)
		for v.Kind() == reflect.Struct && f.Type != reflect.TypeFor[time.Time]() {
			v = v.Field(0)
		}
		set(t, v)
		require.False(t, o.Nameable(), f.Name)
	}
}

// set gives v a value that is not zero.
func set(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(1)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), nil))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Struct:
		v.Set(reflect.ValueOf(time.Now()))
	case reflect.Interface:
		var value any = context.Background()
		if v.Type() == reflect.TypeFor[series.Follower]() {
			value = deaf{}
		}
		v.Set(reflect.ValueOf(value))
	default:
		require.Fail(t, "a field of a kind that this test does not know", v.Kind().String())
	}
}

// deaf is a follower.
type deaf struct{}

func (deaf) RunEnded(any, bool) {}

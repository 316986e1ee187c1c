package series

// Nameable reports whether nothing is asked for but a name and a priority: all tasks for which the
// same is asked are alike then, and need no state of their own.
func (o *Options) Nameable() bool {
	return o.Timeout == 0 && o.CatchUp == 0 && !o.CatchUpSet && o.OnError == 0 && o.Jitter == 0 &&
		o.MaxRuns == 0 && o.From.IsZero() && o.Until.IsZero() && o.BackOff == BackOff{} &&
		o.PauseAfter == 0 && !o.Unique && o.Retry == Retry{} && o.BeginWithin == 0 &&
		o.DelayBy == nil && o.SuccessWithin == 0 && o.StartWithin == 0 && o.StartQuantile == 0 &&
		!o.WallClock && o.Values == nil && o.Within == nil
}

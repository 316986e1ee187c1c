package pairs

// laneWaysIn are the ways into lanes: of a serial executor, or of a key.
var laneWaysIn = []*definition{
	{
		Feature: Feature{
			Name: "Serial.Submit", API: []string{"Serial.Submit", "Serial.Execute", "serial.New"},
			hosts: pools, way: wSerial,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			if r.t.way.pick(0, 4) == 0 {
				l.answer(r, nil, l.host.serial(r).Execute(l.bodyOf(r), opts...))
				return
			}
			f, err := l.host.serial(r).Submit(l.bodyOf(r), opts...)
			l.answer(r, f, err)
		},
	},
	{
		Feature: Feature{
			Name: "Serial.SubmitContext", API: []string{"Serial.SubmitContext"}, hosts: pools,
			way: wSerialContext,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			ctx, cancel := limited(r)
			defer cancel()
			f, err := l.host.serial(r).SubmitContext(ctx, l.bodyOf(r), opts...)
			l.answer(r, f, err)
		},
	},
	{
		Feature: Feature{
			Name: "Serial.Schedule", API: []string{"Serial.Schedule"}, hosts: scheduled,
			way: wSerialSchedule,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.serial(r).Schedule(r.t.delay, l.bodyOf(r), opts...)
			l.answerTimed(r, f, err)
		},
	},
	{
		Feature: Feature{
			Name: "Keyed.Submit", hosts: pools, way: wKeyed,
			API: []string{"Keyed.Submit", "Keyed.Execute", "serial.NewKeyed"},
		},
		submit: func(l *life, r *record, opts taskOpts) {
			if r.t.way.pick(0, 4) == 0 {
				l.answer(r, nil, l.host.keyed.Execute(r.t.lane, l.bodyOf(r), opts...))
				return
			}
			f, err := l.host.keyed.Submit(r.t.lane, l.bodyOf(r), opts...)
			l.answer(r, f, err)
		},
	},
	{
		Feature: Feature{
			Name: "Keyed.SubmitContext", API: []string{"Keyed.SubmitContext"}, hosts: pools,
			way: wKeyedContext,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			ctx, cancel := limited(r)
			defer cancel()
			f, err := l.host.keyed.SubmitContext(ctx, r.t.lane, l.bodyOf(r), opts...)
			l.answer(r, f, err)
		},
	},
	{
		Feature: Feature{
			Name: "Keyed.Schedule", API: []string{"Keyed.Schedule"}, hosts: scheduled,
			way: wKeyedSchedule,
		},
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.keyed.Schedule(r.t.lane, r.t.delay, l.bodyOf(r), opts...)
			l.answerTimed(r, f, err)
		},
	},
	{
		Feature: Feature{Name: "Keyed.For", API: []string{"Keyed.For"}, hosts: pools, way: wFor},
		submit: func(l *life, r *record, opts taskOpts) {
			f, err := l.host.keyed.For(r.t.lane).Submit(l.bodyOf(r), opts...)
			l.answer(r, f, err)
		},
	},
}

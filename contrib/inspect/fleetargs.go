package inspect

import "html/template"

// fleetFuncs are what the templates of a fleet have beside the others.
var fleetFuncs = template.FuncMap{
	"mark": mark,
	"word": func(text string) word { return word(text) },
	"one":  func(v fleetTaskView) []*fleetTask { return []*fleetTask{v.fleetTask} },
	"of":   func(base string, p *fleetProcess) ofArgs { return ofArgs{base, p} },
	"fleetwrongs": func(base string, w fleetWrong, who bool) fleetWrongArgs {
		return fleetWrongArgs{base, w, who}
	},
	"versions": func(base, caption string, tasks []*fleetTask) versionsArgs {
		return versionsArgs{base, caption, tasks}
	},
	"processes": func(base, caption string, list []*fleetProcess, gone bool) processesArgs {
		return processesArgs{base, caption, list, gone}
	},
	"fleetruns": func(base, caption string, runs []fleetRun) fleetRunsArgs {
		return fleetRunsArgs{base, caption, runs}
	},
}

// What these templates get.
type (
	ofArgs struct {
		Base string
		To   *fleetProcess
	}
	fleetWrongArgs struct {
		Base  string
		Wrong fleetWrong
		Who   bool // they are of different processes
	}
	versionsArgs struct {
		Base, Caption string
		Tasks         []*fleetTask
	}
	processesArgs struct {
		Base, Caption string
		Processes     []*fleetProcess
		Gone          bool
	}
	fleetRunsArgs struct {
		Base, Caption string
		Runs          []fleetRun
	}
)

package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func parens() {
	c := (cron.New()) // want `cron scheduler`
	(c.AddFunc)("* * * * *", (work))
	(c.Start)()
	ids := []cron.EntryID{}
	for range 2 {
		id, _ := (c.AddFunc)("* * * * *", work)
		ids = append(ids, id)
	}
}

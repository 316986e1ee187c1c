package cronrefuses

import (
	"github.com/robfig/cron/v3"
)

func both() {
	c := cron.New() // want `cron scheduler`
	c.AddFunc("0 0 */2 * 1", work)
	c.Start()
}

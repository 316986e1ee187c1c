package refuses

import "time"

func slow() { elsewhere = time.Minute }

// Package crontab reads the jobs of a crontab, as a user has them:
//
//	# comments, blank lines, and variables as MAILTO=ops
//	CRON_TZ=Europe/Berlin
//	30 2 * * *      backup --full     # 95m
//	@hourly         index             # 40m, more at the end of the month
//	@every 90s      poll
//
// CRON_TZ is the zone of the lines below it. A duration in a comment at the end of a line is how
// long the job takes; cron itself hands that comment to the shell, which ignores it.
package crontab

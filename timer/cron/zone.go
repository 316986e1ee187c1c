package cron

import (
	"sync"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// zones has the zones that lines have named. Package time makes a new location each time a name is
// loaded, and then the schedules of equal lines would not be equal.
var zones sync.Map

// load returns the zone of the name, always the same one.
func load(name string) (*time.Location, error) {
	if zone, ok := zones.Load(name); ok {
		return zone.(*time.Location), nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, err
	}
	first, _ := zones.LoadOrStore(name, zone)
	return first.(*time.Location), nil
}

// zone takes the zone from the front of a line, and returns its name.
func (p *parser) zone(words []word, s *civil.Settings) (rest []word, name string, err error) {
	if len(words) == 0 {
		return words, "", nil
	}
	key, value, found := words[0].cut('=')
	if !found || key.text != "CRON_TZ" && key.text != "TZ" {
		return words, "", nil
	}
	if value.text == "" {
		return nil, "", p.fail("", words[0], "the zone has no name; UTC is called so")
	}
	s.Zone, err = load(value.text)
	if err != nil {
		return nil, "", p.fail("", value,
			"no zone has this name, or the tables of zones are not there")
	}
	return words[1:], value.text, nil
}

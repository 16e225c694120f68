package database

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
)

// The publication of versions, as package tree does it.

var errRemoved = errors.New("a file was removed")

// publish publishes versions, and has earlier ones served again.
func (p *process) publish() {
	s := p.s
	for {
		p.wait(s.long(time.Second, 5*time.Minute))
		if s.calm {
			continue
		}
		project := s.random.IntN(projects)
		if s.chance(0.3) {
			p.rollback(project)
			continue
		}
		files := make(map[int]int)
		for path := range 4 {
			files[path] = 100*project + s.random.IntN(30) // with other files that versions have or had
			if s.chance(0.3) {
				files[path] %= 100 // which another project has too
			}
		}
		for range 5 {
			if err := p.publishOnce(project, files); err != errRemoved {
				break
			}
			s.counts["publication repeated"]++
		}
	}
}

func (p *process) publishOnce(project int, files map[int]int) error {
	s := p.s
	digests := slices.Compact(slices.Sorted(maps.Values(files)))
	var lacking []int
	if err := p.statement(callTimeout, func() error {
		lacking = nil
		for _, d := range digests {
			if b := s.blobs[d]; b == nil || !b.there {
				lacking = append(lacking, d)
			}
		}
		return nil
	}); err != nil {
		return err
	}
	for batch := range slices.Chunk(lacking, 2) {
		if err := p.tx(callTimeout, func(t *txn) error { return s.upload(t, batch) }); err != nil {
			return err
		}
	}
	if s.chance(0.1) { // a slow publication
		p.wait(s.long(time.Second, 2*fileGrace))
	}
	number := 0
	announce := func(t *txn) error { return s.announce(fmt.Sprint("tree", project, " ", s.trials))(t) }
	list := func(t *txn) error {
		s.trials++
		number = s.trials
		t.effects = append(t.effects, func() {
			s.trees[number] = &version{project, number, maps.Clone(files)}
			s.published[number] = files
		})
		return t.statement()
	}
	point := func(t *txn) error {
		t.effects = append(t.effects, func() {
			s.pointer[project] = number
			s.counts["published"]++
		})
		return t.statement()
	}
	check := func(t *txn) error {
		t.effects = append(t.effects, s.checkTrees)
		return nil
	}
	if s.is("pointer first") {
		begin := func(t *txn) error {
			err := list(t)
			t.effects = append(t.effects, func() { s.trees[number].files = nil })
			return err
		}
		err := p.tx(callTimeout, begin, point, announce)
		if err == nil {
			err = p.tx(callTimeout, func(t *txn) error {
				t.effects = append(t.effects, func() {
					if v := s.trees[number]; v != nil {
						v.files = files
					}
				})
				return t.statement()
			})
		}
		return err
	}
	if s.is("changed before") {
		if err := p.tx(callTimeout, announce); err != nil {
			return err
		}
		announce = (*txn).statement
	}
	return p.tx(2*time.Minute, s.exclude, func(t *txn) error { return s.look(t, digests) }, list, point, announce, func(t *txn) error {
		return s.pruneVersions(t, project, number, files)
	}, check)
}

// upload adds files that are not there.
func (s *simulation) upload(t *txn, digests []int) error {
	if err := t.statement(); err != nil {
		return err
	}
	for _, d := range digests {
		b := s.blobs[d]
		if b == nil {
			b = &blob{}
			s.blobs[d] = b
		}
		if b.by != nil && b.by != t && !b.by.ended {
			return errBlocked
		}
		if !b.there {
			b.by = t
			created := s.now
			t.effects = append(t.effects, func() { b.there, b.created = true, created })
		}
	}
	return nil
}

// exclude waits until no other transaction adds or removes versions.
func (s *simulation) exclude(t *txn) error {
	if s.is("no exclusion") {
		return nil
	}
	if s.lock != nil && s.lock != t && !s.lock.ended {
		return errBlocked
	}
	if err := t.statement(); err != nil {
		return err
	}
	s.lock = t
	return nil
}

// look fails if files were removed.
func (s *simulation) look(t *txn, digests []int) error {
	if s.is("no second look") {
		return nil
	}
	for _, d := range digests {
		if b := s.blobs[d]; b == nil || !b.there {
			return errRemoved
		}
	}
	return t.statement()
}

// pruneVersions removes versions beyond the last ones, and files that no version needs.
func (s *simulation) pruneVersions(t *txn, project, number int, files map[int]int) error {
	if err := t.statement(); err != nil {
		return err
	}
	numbers := []int{number}
	for n, v := range s.trees {
		if v.project == project {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	slices.Reverse(numbers)
	gone := make(map[int]bool)
	for _, n := range numbers[min(keptTrees, len(numbers)):] {
		gone[n] = true
	}
	needed := make(map[int]bool)
	for _, d := range files {
		needed[d] = true
	}
	for n, v := range s.trees {
		if gone[n] || v.project != project && s.is("files of others removed") {
			continue
		}
		for _, d := range v.files {
			needed[d] = true
		}
	}
	var unused []*blob
	for d, b := range s.blobs {
		if b.there && !needed[d] && b.created < s.now-fileGrace {
			if b.by != nil && b.by != t && !b.by.ended {
				return errBlocked
			}
			unused = append(unused, b)
		}
	}
	for _, b := range unused {
		b.by = t
	}
	t.effects = append(t.effects, func() {
		for n := range gone {
			delete(s.trees, n)
			s.counts["version removed"]++
		}
		for _, b := range unused {
			b.there = false
			s.counts["file removed"]++
		}
	})
	return nil
}

// checkTrees checks that everything is there that a version refers to.
func (s *simulation) checkTrees() {
	for project, number := range s.pointer {
		if number != 0 && s.trees[number] == nil {
			s.fail("version %d of project %d is served and was removed", number, project)
		}
	}
	for number, v := range s.trees {
		for _, d := range v.files {
			if b := s.blobs[d]; b == nil || !b.there {
				s.fail("file %d of version %d was removed", d, number)
			}
		}
	}
}

// rollback has an earlier version served.
func (p *process) rollback(project int) {
	s := p.s
	number := 0
	_ = p.tx(2*time.Minute, s.exclude, func(t *txn) error {
		for n, v := range s.trees {
			if v.project == project && n < s.pointer[project] && (number == 0 || n < number) {
				number = n
			}
		}
		if number == 0 {
			return errRemoved
		}
		t.effects = append(t.effects, func() {
			s.pointer[project] = number
			s.counts["rolled back"]++
		})
		return t.statement()
	}, func(t *txn) error {
		s.trials++
		return s.announce(fmt.Sprint("tree", project, " ", s.trials))(t)
	}, func(t *txn) error {
		t.effects = append(t.effects, s.checkTrees)
		return nil
	})
}

// fetch follows the versions that are served.
func (p *process) fetch() {
	s, r := p.s, p.r
	for {
		p.wait(s.between(time.Millisecond, 2*time.Second))
		if !r.wake {
			if r.read == s.changed && r.sum == s.sum && r.reader.snapshot != "" && r.served != s.pointer {
				s.fail("a replica that knows all changes serves the versions %v, want %v", r.served, s.pointer)
			}
			continue
		}
		r.wake = false
		for project := range projects {
			if err := p.fetchProject(project); err != nil {
				r.wake = true
				p.wait(s.between(time.Second, 5*time.Second))
			}
		}
	}
}

func (p *process) fetchProject(project int) error {
	s, r := p.s, p.r
	number := 0
	var files map[int]int
	list := func() error {
		v := s.trees[number]
		if v == nil {
			files = nil
			return nil
		}
		files = maps.Clone(v.files)
		return nil
	}
	err := p.statement(callTimeout, func() error { // one snapshot
		number = s.pointer[project]
		return list()
	})
	if err == nil && s.is("read in two steps") {
		err = p.statement(callTimeout, list)
	}
	if err != nil || number == 0 || number == r.served[project] {
		return err
	}
	for _, d := range slices.Compact(slices.Sorted(maps.Values(files))) {
		err := p.statement(callTimeout, func() error {
			if b := s.blobs[d]; b == nil || !b.there {
				return errRemoved
			}
			return nil
		})
		if err == errRemoved && s.is("copied without check") {
			delete(files, slices.Collect(maps.Keys(files))[0])
			continue
		}
		if err != nil {
			return err
		}
	}
	if want := s.published[number]; !maps.Equal(files, want) {
		s.fail("a replica serves the files %v of version %d, want %v", files, number, want)
	}
	r.served[project] = number
	s.counts["fetched"]++
	return nil
}

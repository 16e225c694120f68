package database

import (
	"container/heap"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestSimulation runs replicas on a [model] of the database. They are paused, cut off, killed and started again, and the
// database crashes. It checks what replicas rely on:
//
//   - after another replica has taken a lease, no write of the earlier holder succeeds;
//   - no write is lost that was acknowledged;
//   - a replica that reads the log knows every change that was committed before;
//   - a replica serves the files of one published version, and finally of the last one;
//   - a version and its files stay in the store while anything refers to them.
//
// MCP_DOCS_SIMULATION_STEPS is the number of steps, with 100 replicas; a million take some seconds. The seed is the day, or
// MCP_DOCS_SIMULATION_SEED. A run with the same steps and seed does the same.
func TestSimulation(t *testing.T) {
	steps, replicas, seed := 150_000, 20, uint64(1)
	if n, _ := strconv.Atoi(os.Getenv("MCP_DOCS_SIMULATION_STEPS")); n > 0 {
		steps, replicas, seed = n, 100, uint64(time.Now().Unix()/86400)
	}
	if n, err := strconv.ParseUint(os.Getenv("MCP_DOCS_SIMULATION_SEED"), 10, 64); err == nil {
		seed = n
	}
	s := newSimulation(seed, replicas, "")
	s.run(steps)
	t.Logf("seed %d: %v of the database, %v", seed, s.now.Round(time.Second), s.counts)
	if s.violation != "" {
		t.Fatalf("seed %d: %s", seed, s.violation)
	}
	for _, event := range []string{"write", "takeover", "write after takeover", "lost answer", "change read", "all read", "published", "rolled back", "fetched", "version removed", "file removed", "crash", "kill", "pause", "cut"} {
		if s.counts[event] == 0 {
			t.Errorf("nothing was tested of: %s", event)
		}
	}
}

// mutants are mistakes that the simulation must find, by their names.
var mutants = map[string]string{
	"no fence":                "writes are not fenced",
	"fence without lock":      "the token is compared, but the lease may be taken before the commit",
	"tokens from one":         "the tokens of a lease begin anew when its row was deleted",
	"acknowledged early":      "a write is acknowledged before it is committed",
	"cursor by number":        "the log is read from the greatest transaction number on",
	"no gap":                  "a reader that was paused relies on rows of the log that were pruned",
	"pruned early":            "the log keeps rows for a minute",
	"pruned by local clock":   "the log is pruned by the clock of a replica",
	"by snapshot alone":       "a reader relies on the numbers of transactions after a crash of the database",
	"changed before":          "a change is announced in a transaction before its own",
	"pointer first":           "a version is served before its files are listed",
	"read in two steps":       "a replica reads which version is served and then its files",
	"copied without check":    "a replica serves a version although a file is missing",
	"no exclusion":            "versions are added and removed at the same time",
	"no second look":          "a version is added although files were removed since they were uploaded",
	"files of others removed": "files are removed that only versions of other projects need",
}

// rare are mutants that take some seconds to find. They are left out unless MCP_DOCS_SIMULATION_STEPS is set.
var rare = []string{"copied without check", "no exclusion", "no gap", "no second look", "pruned early", "read in two steps", "tokens from one"}

func TestSimulationFindsMutants(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(mutants)) {
		steps := 60_000
		if slices.Contains(rare, name) {
			if steps = 400_000; os.Getenv("MCP_DOCS_SIMULATION_STEPS") == "" {
				continue
			}
		}
		found := false
		for seed := uint64(0); seed < 20 && !found; seed++ {
			s := newSimulation(seed, 20, name)
			s.run(steps)
			if found = s.violation != ""; found {
				t.Logf("%s: seed %d, step %d: %s", name, seed, s.steps, s.violation)
			}
		}
		if !found {
			t.Errorf("%s: %s, and the simulation does not find it", name, mutants[name])
		}
	}
}

const (
	idleTimeout = 10 * time.Second // of a transaction; see begin
	keptTrees   = 5                // of a project in the store
	fileGrace   = 10 * time.Minute // an hour in package tree, but then less happens in a run
	projects    = 3
)

type simulation struct {
	*model
	random    *rand.Rand
	mutant    string
	steps     int
	violation string
	counts    map[string]int
	calm      bool // no more faults or changes
	queue     queue
	replicas  []*machine

	serial  int            // of acquisitions
	granted map[string]int // serial of the last one, by the name of the lease
	writes  map[string][]int
	acks    []acknowledged

	changed int // committed changes
	sum     uint64

	lock      *txn // the last transaction that adds or removes versions
	blobs     map[int]*blob
	trees     map[int]*version
	pointer   [projects]int
	published map[int]map[int]int
	trials    int
}

type acknowledged struct {
	at           time.Duration
	lease        string
	index, value int
}

// A blob is a file in the store. by is the last transaction that adds or removes it.
type blob struct {
	there   bool
	created time.Duration
	by      *txn
}

type version struct {
	project, number int
	files           map[int]int // digests by path
}

// A machine is a replica.
type machine struct {
	s         *simulation
	processes []*process
	txns      []*txn
	slow      float64       // factor of the time that it takes
	pooled    bool          // a proxy keeps its connections when the database crashes
	ahead     time.Duration // of its clock
	paused    time.Duration // until then
	cut       time.Duration // until then, it does not reach the database
	held      map[string]*holding

	reader reader
	read   int // changes that it knows
	sum    uint64
	wake   bool // a version may have changed
	served [projects]int
}

type holding struct {
	token  int64
	serial int
	lost   bool
}

func newSimulation(seed uint64, replicas int, mutant string) *simulation {
	s := &simulation{
		model: newModel(), random: rand.New(rand.NewPCG(seed, 32)), mutant: mutant, counts: make(map[string]int), granted: make(map[string]int),
		writes: make(map[string][]int), blobs: make(map[int]*blob), trees: make(map[int]*version), published: make(map[int]map[int]int),
	}
	s.now = time.Hour
	for range replicas {
		r := &machine{s: s, slow: 1, pooled: s.chance(0.5), ahead: s.between(-10*time.Minute, 10*time.Minute)}
		if s.chance(0.6) {
			r.slow = 30
		}
		s.replicas = append(s.replicas, r)
		r.start()
	}
	s.spawn(nil, (*process).serve)
	s.spawn(nil, (*process).harm)
	return s
}

func (s *simulation) is(mutant string) bool { return s.mutant == mutant }

func (s *simulation) chance(p float64) bool { return s.random.Float64() < p }

func (s *simulation) between(a, b time.Duration) time.Duration {
	return a + time.Duration(s.random.Int64N(int64(b-a)))
}

// long returns a time of any order of magnitude.
func (s *simulation) long(least, most time.Duration) time.Duration {
	return time.Duration(float64(least) * math.Pow(float64(most)/float64(least), s.random.Float64()))
}

func (s *simulation) fail(format string, args ...any) {
	if s.violation == "" {
		s.violation = fmt.Sprintf("%v: ", s.now) + fmt.Sprintf(format, args...)
	}
}

// run runs a number of steps with faults, and then without, until all replicas are up to date.
func (s *simulation) run(steps int) {
	defer func() {
		for _, e := range s.queue {
			e.process.stop()
		}
	}()
	for ; s.steps < steps && s.violation == ""; s.steps++ {
		if s.step(); s.steps%10_000 == 0 {
			s.checkAcknowledged(s.now - time.Minute)
		}
	}
	s.calm = true
	for _, r := range s.replicas {
		if r.paused, r.cut, r.slow = 0, 0, 1; r.processes == nil {
			r.start()
		}
	}
	for i := range s.queue {
		s.queue[i].at = s.now + s.between(0, time.Second)
	}
	heap.Init(&s.queue)
	for end := s.now + 3*time.Minute; s.now < end && s.violation == ""; {
		s.step()
	}
	if s.violation != "" {
		return
	}
	for i, r := range s.replicas {
		if r.read != s.changed || r.sum != s.sum {
			s.fail("replica %d does not know all changes at the end", i)
		}
		if r.served != s.pointer {
			s.fail("replica %d serves the versions %v, want %v", i, r.served, s.pointer)
		}
	}
	s.checkAcknowledged(s.now)
}

// checkAcknowledged checks writes that were acknowledged before a time.
func (s *simulation) checkAcknowledged(before time.Duration) {
	for ; len(s.acks) > 0 && s.acks[0].at < before; s.acks = s.acks[1:] {
		a := s.acks[0]
		if written := s.writes[a.lease]; a.index >= len(written) || written[a.index] != a.value {
			s.fail("the acknowledged write %+v is lost", a)
		}
	}
}

// step continues the process whose time has come.
func (s *simulation) step() {
	e := heap.Pop(&s.queue).(event)
	s.now = max(s.now, e.at)
	p := e.process
	if r := p.r; r != nil && r.paused > s.now {
		heap.Push(&s.queue, event{r.paused, s.steps, p})
		return
	}
	if d, ok := p.next(); ok && !p.ended {
		if p.r != nil {
			d = time.Duration(float64(d) * p.r.slow)
		}
		heap.Push(&s.queue, event{s.now + d, s.steps, p})
	}
}

// An event is the time at which a process continues.
type event struct {
	at      time.Duration
	order   int
	process *process
}

type queue []event

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].order < q[j].order
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(event)) }
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}

// A process is a goroutine of a replica that runs until it waits.
type process struct {
	s       *simulation
	r       *machine // nil: a process of the world
	next    func() (time.Duration, bool)
	stop    func()
	yield   func(time.Duration) bool
	ended   bool
	crashes int // that its connection knows
}

type stopped struct{}

func (s *simulation) spawn(r *machine, body func(*process)) *process {
	p := &process{s: s, r: r, crashes: len(s.crashes)}
	next, stop := iter.Pull(func(yield func(time.Duration) bool) {
		defer func() {
			if v := recover(); v != nil && v != (stopped{}) {
				panic(v)
			}
		}()
		p.yield = yield
		body(p)
	})
	p.next, p.stop = next, stop
	heap.Push(&s.queue, event{s.now + s.between(0, time.Second), s.steps, p})
	return p
}

func (p *process) wait(d time.Duration) {
	if !p.yield(d) {
		panic(stopped{})
	}
}

func (r *machine) start() {
	r.held, r.reader, r.wake, r.served = make(map[string]*holding), reader{}, true, [projects]int{}
	for _, body := range []func(*process){(*process).follow, (*process).work, (*process).work, (*process).publish, (*process).fetch} {
		r.processes = append(r.processes, r.s.spawn(r, body))
	}
}

// kill ends a replica. The database notices it at once, or when its transactions have been idle for some time.
func (r *machine) kill() {
	for _, p := range r.processes {
		p.ended = true
		p.stop()
	}
	r.s.queue = slices.DeleteFunc(r.s.queue, func(e event) bool { return e.process.r == r })
	heap.Init(&r.s.queue)
	r.processes = nil
	if r.s.chance(0.5) {
		for _, t := range r.txns {
			t.abort()
		}
	}
	r.txns = nil
}

// serve is the part of the database that happens by itself.
func (p *process) serve() {
	for {
		p.wait(time.Second)
		for t := range p.s.open {
			if p.s.now-t.used > idleTimeout {
				t.abort()
			}
		}
	}
}

// harm kills replicas and the database. It prefers moments at which the last transactions were aborted, whose numbers are
// given again.
func (p *process) harm() {
	s := p.s
	for {
		p.wait(s.long(100*time.Millisecond, 10*time.Second))
		if s.calm {
			continue
		}
		if s.status[len(s.status)-1] == aborted && s.chance(0.3) || s.chance(0.02) {
			s.crash()
			s.counts["crash"]++
		}
		r := s.replicas[s.random.IntN(len(s.replicas))]
		switch {
		case r.processes == nil:
			r.start()
		case r.paused > s.now+10*time.Minute: // it shall wake up when the log has been pruned
		case r.pooled && s.chance(0.002):
			r.paused = s.now + kept + 15*time.Minute
		case s.chance(0.3):
			r.kill()
			s.counts["kill"]++
		}
	}
}

// pause is how long a replica is paused or cut off: often about as long as a lease lasts, seldom longer than the log
// keeps its rows.
func (s *simulation) pause() time.Duration {
	switch n := s.random.IntN(1000); {
	case n < 500:
		return s.long(100*time.Millisecond, 5*time.Second)
	case n < 960:
		return s.between(leaseTime-time.Second, idleTimeout+time.Second)
	case n < 990:
		return s.long(10*time.Second, 5*time.Minute)
	default:
		return s.long(5*time.Minute, 2*time.Hour)
	}
}

var errCut = errors.New("the connection was cut")

// statement runs a statement, which may wait for locks. The answer may be lost.
func (p *process) statement(timeout time.Duration, do func() error) error {
	s := p.s
	if !s.calm {
		switch {
		case s.chance(0.01):
			p.r.paused = s.now + s.pause()
			s.counts["pause"]++
		case s.chance(0.002):
			p.r.cut = s.now + s.pause()
			s.counts["cut"]++
		}
	}
	p.wait(s.between(100*time.Microsecond, 3*time.Millisecond))
	survived := p.crashes == len(s.crashes) || p.r.pooled
	p.crashes = len(s.crashes)
	if p.r.cut > s.now {
		if s.chance(0.3) && survived && do() == nil {
			s.counts["lost answer"]++
		}
		p.wait(s.between(time.Second, timeout))
		return errCut
	}
	if !survived {
		return errCut
	}
	for end := s.now + timeout; ; {
		err := do()
		if err != errBlocked {
			return err
		}
		s.counts["blocked"]++
		if s.now > end {
			return errCut
		}
		p.wait(s.between(5*time.Millisecond, 50*time.Millisecond))
	}
}

// tx runs the statements of a transaction, and commits it.
func (p *process) tx(timeout time.Duration, statements ...func(*txn) error) error {
	t := p.s.begin()
	p.r.txns = append(slices.DeleteFunc(p.r.txns, func(t *txn) bool { return t.ended }), t)
	for _, do := range append(statements, (*txn).commit) {
		if err := p.statement(timeout, func() error { return do(t) }); err != nil {
			if err != errCut || p.r.cut <= p.s.now {
				t.abort()
			} // otherwise the database does not know
			return err
		}
	}
	return nil
}

// announce is [Changed].
func (s *simulation) announce(key string) func(*txn) error {
	return func(t *txn) error {
		t.effects = append(t.effects, func() {
			s.changed++
			s.sum += hash(key)
		})
		return t.change(key)
	}
}

func hash(key string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(key))
	return h.Sum64()
}

// follow is [DB.Run].
func (p *process) follow() {
	s, r := p.s, p.r
	pruned := time.Duration(0)
	for {
		r.reader = reader{}
		for p.readLog() == nil && p.renew() == nil {
			if s.now-pruned > pruneEvery && !s.calm {
				if pruned = s.now; p.prune() != nil {
					break
				}
			}
			p.wait(s.between(readPause, readEvery))
		}
		p.wait(s.between(100*time.Millisecond, 2*time.Second))
	}
}

// readLog is [reader.read].
func (p *process) readLog() error {
	s, r := p.s, p.r
	var snapshot string
	var keys []string
	var changed int
	var sum uint64
	var at time.Duration
	if err := p.statement(readTimeout, func() error {
		snapshot, at, changed, sum = s.snapshot(), s.now, s.changed, s.sum
		switch since := r.reader.snapshot; {
		case since == "":
		case s.is("cursor by number"):
			_, next, _ := strings.Cut(since, ":")
			next, _, _ = strings.Cut(next, ":")
			keys = s.changes(next+":"+next+":", s.now)
		case s.is("by snapshot alone"):
			keys = s.changes(since, s.now)
		default:
			keys = s.changes(since, r.reader.at.Sub(time.Time{}))
		}
		return nil
	}); err != nil {
		return err
	}
	if s.is("no gap") && r.reader.snapshot != "" {
		r.reader.at = time.Time{}.Add(at)
	}
	if r.reader.take(snapshot, time.Time{}.Add(at)) {
		r.read, r.sum, r.wake = changed, sum, true
		s.counts["all read"]++
		return nil
	}
	for _, key := range keys {
		r.read++
		r.sum += hash(key)
		r.wake = r.wake || key[0] == 't'
		s.counts["change read"]++
	}
	if r.read != changed || r.sum != sum {
		s.fail("a replica that reads the log knows %d changes of %d", r.read, changed)
	}
	return nil
}

// renew is [DB.renew].
func (p *process) renew() error {
	r := p.r
	held := make(map[string]int64)
	for name, h := range r.held {
		held[name] = h.token
	}
	if len(held) == 0 {
		return nil
	}
	var renewed []string
	if err := p.statement(readTimeout, func() (err error) {
		renewed, err = p.s.renew(held)
		return err
	}); err != nil {
		return err
	}
	for name, token := range held {
		if h := r.held[name]; h != nil && h.token == token && !slices.Contains(renewed, name) {
			h.lost = true
		}
	}
	return nil
}

func (p *process) prune() error {
	s := p.s
	now, keep := s.now, kept
	switch {
	case s.is("pruned early"):
		keep = time.Minute
	case s.is("pruned by local clock"):
		now += 6 * p.r.ahead // up to an hour
	}
	return p.statement(callTimeout, func() error {
		s.model.prune(now - keep)
		return nil
	})
}

// acquire is [DB.Acquire].
func (p *process) acquire(name string) (*holding, error) {
	s, r := p.s, p.r
	if r.held[name] != nil {
		return nil, ErrHeld
	}
	h := &holding{}
	r.held[name] = h
	err := p.statement(callTimeout, func() (err error) {
		before := s.leases[name]
		expired := before != nil
		old := int64(0)
		if expired {
			old = before.token
		}
		if h.token, err = s.model.acquire(name); err != nil {
			return err
		}
		if s.is("tokens from one") {
			h.token = old + 1
			s.leases[name].token = h.token
		}
		s.serial++
		h.serial = s.serial
		s.granted[name] = s.serial
		if expired {
			s.counts["takeover"]++
		}
		return nil
	})
	if err != nil {
		delete(r.held, name)
		return nil, err
	}
	return h, nil
}

// work acquires leases, and writes while it has them: like a crawl, it reads what is written before, and then only adds to
// it.
func (p *process) work() {
	s, r := p.s, p.r
	for {
		p.wait(s.between(time.Second, 20*time.Second))
		name := fmt.Sprint("job", s.random.IntN(4))
		h, err := p.acquire(name)
		if err != nil {
			continue
		}
		end := 0
		err = p.statement(callTimeout, func() error {
			end = len(s.writes[name])
			return nil
		})
		for n := s.random.IntN(10); n > 0 && err == nil && !h.lost && !s.calm; n-- {
			err = p.write(name, h, end)
			end++
			p.wait(s.long(time.Millisecond, time.Second))
		}
		if h.lost || err != nil {
			s.counts["write after takeover"]++
		}
		_ = p.statement(callTimeout, func() error { return s.release(name, h.token) })
		if r.held[name] == h {
			delete(r.held, name)
		}
	}
}

var errConflict = errors.New("the row exists")

// write adds a value at an index that is not used.
func (p *process) write(name string, h *holding, index int) error {
	s := p.s
	s.trials++
	value := s.trials
	fence := func(t *txn) error { return t.fence(name, h.token) }
	switch {
	case s.is("no fence"):
		fence = (*txn).statement
	case s.is("fence without lock"):
		fence = func(t *txn) error {
			if row := s.leases[name]; row == nil || row.token != h.token {
				return ErrLost
			}
			return t.statement()
		}
	}
	ack := func() { s.acks = append(s.acks, acknowledged{s.now, name, index, value}) }
	insert := func(t *txn) error {
		if err := t.statement(); err != nil {
			return err
		}
		if len(s.writes[name]) > index {
			return errConflict
		}
		t.effects = append(t.effects, func() {
			if s.granted[name] > h.serial {
				s.fail("a write under %s succeeds after another replica has taken the lease", name)
			}
			s.writes[name] = append(s.writes[name], value)
			s.counts["write"]++
		})
		return nil
	}
	announce := s.announce(fmt.Sprint("write", value))
	statements := []func(*txn) error{fence, insert, announce}
	if s.is("acknowledged early") {
		statements = append(statements, func(t *txn) error {
			ack()
			return nil
		})
	}
	err := p.tx(callTimeout, statements...)
	if err == nil && !s.is("acknowledged early") {
		ack()
	}
	return err
}

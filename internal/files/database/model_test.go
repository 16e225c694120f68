package database

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A model is a PostgreSQL in memory with the statements of this package: transactions have numbers, see what was
// committed before each statement, and commit in any order; a lease that a transaction has fenced cannot be changed before
// it ends. A statement that would wait fails with errBlocked and can be repeated. TestModel compares it with PostgreSQL.
type model struct {
	now     time.Duration // clock_timestamp(), since some moment
	crashes []crash
	status  []status   // of transactions, by number
	log     [][]logRow // by the number of the transaction
	pruned  int        // all rows of transactions with smaller numbers were removed
	active  []int      // numbers of open transactions, in order
	open    map[*txn]bool
	tokens  int64
	leases  map[string]*leaseRow
}

// A crash is the time of one, and the number of the next transaction.
type crash struct {
	at   time.Duration
	next int
}

type status byte

const (
	unfinished status = iota
	committed
	aborted
)

type logRow struct {
	at  time.Duration
	key string
}

type leaseRow struct {
	token  int64
	until  time.Duration
	shares map[*txn]bool // transactions that have fenced it
}

var (
	errBlocked = errors.New("another transaction has the lock")
	errEnded   = errors.New("the transaction or its connection has ended")
)

func newModel() *model {
	return &model{status: []status{committed}, log: make([][]logRow, 1), open: make(map[*txn]bool), leases: make(map[string]*leaseRow)}
}

// A txn is a transaction.
type txn struct {
	m       *model
	number  int           // 0: it has written nothing
	used    time.Duration // time of the last statement
	ended   bool
	effects []func() // of the commit
	locks   []*leaseRow
}

func (m *model) begin() *txn {
	t := &txn{m: m, used: m.now}
	m.open[t] = true
	return t
}

// statement begins a statement that writes.
func (t *txn) statement() error {
	if t.ended {
		return errEnded
	}
	t.used = t.m.now
	if t.number == 0 {
		t.number = len(t.m.status)
		t.m.status, t.m.log = append(t.m.status, unfinished), append(t.m.log, nil)
		t.m.active = append(t.m.active, t.number)
	}
	return nil
}

func (t *txn) end(s status) {
	t.ended = true
	delete(t.m.open, t)
	for _, row := range t.locks {
		delete(row.shares, t)
	}
	if t.number > 0 {
		t.m.status[t.number] = s
		t.m.active = slices.DeleteFunc(t.m.active, func(n int) bool { return n == t.number })
	}
}

func (t *txn) commit() error {
	if t.ended {
		return errEnded
	}
	t.end(committed)
	for _, f := range t.effects {
		f()
	}
	return nil
}

func (t *txn) abort() {
	if !t.ended {
		t.end(aborted)
	}
}

// fence is [Lease.Fence].
func (t *txn) fence(name string, token int64) error {
	if err := t.statement(); err != nil {
		return err
	}
	row := t.m.leases[name]
	if row == nil {
		return ErrLost
	}
	if !row.shares[t] {
		row.shares[t] = true
		t.locks = append(t.locks, row)
	}
	if row.token != token {
		return ErrLost
	}
	return nil
}

// change is [Changed].
func (t *txn) change(keys ...string) error {
	if err := t.statement(); err != nil {
		return err
	}
	for _, key := range keys {
		t.m.log[t.number] = append(t.m.log[t.number], logRow{t.m.now, key})
	}
	return nil
}

// acquire is the statement of [DB.Acquire].
func (m *model) acquire(name string) (token int64, err error) {
	row := m.leases[name]
	switch {
	case row == nil:
		row = &leaseRow{shares: make(map[*txn]bool)}
		m.leases[name] = row
	case len(row.shares) > 0: // PostgreSQL locks the row before it looks at its time
		return 0, errBlocked
	case row.until >= m.now:
		m.tokens++ // the sequence has advanced
		return 0, ErrHeld
	}
	m.tokens++
	row.token, row.until = m.tokens, m.now+leaseTime
	return row.token, nil
}

// release is the statement of [Lease.Release].
func (m *model) release(name string, token int64) error {
	if row := m.leases[name]; row != nil && row.token == token {
		if len(row.shares) > 0 {
			return errBlocked
		}
		delete(m.leases, name)
	}
	return nil
}

// renew is the statement of [DB.renew]. It returns the names that it has renewed.
func (m *model) renew(held map[string]int64) (renewed []string, err error) {
	for name, token := range held {
		if row := m.leases[name]; row != nil && row.token == token {
			renewed = append(renewed, name)
		}
	}
	for _, name := range renewed {
		m.leases[name].until = m.now + leaseTime
	}
	return renewed, nil
}

// snapshot is pg_current_snapshot().
func (m *model) snapshot() string {
	next := len(m.status)
	least := next
	if len(m.active) > 0 {
		least = m.active[0]
	}
	numbers := make([]string, len(m.active))
	for i, n := range m.active {
		numbers[i] = strconv.Itoa(n)
	}
	return fmt.Sprintf("%d:%d:%s", least, next, strings.Join(numbers, ","))
}

// changes returns the keys in the log of transactions that a snapshot did not see, and of those written after a time, if
// they have been committed since: the statement of [reader.next].
func (m *model) changes(snapshot string, at time.Duration) (keys []string) {
	first, rest, _ := strings.Cut(snapshot, ":")
	end, list, _ := strings.Cut(rest, ":")
	least, _ := strconv.Atoi(first)
	next, _ := strconv.Atoi(end)
	unseen := make(map[int]bool)
	for n := range strings.SplitSeq(list, ",") {
		if number, err := strconv.Atoi(n); err == nil {
			unseen[number] = true
		}
	}
	for _, c := range slices.Backward(m.crashes) {
		if c.at < at {
			break
		}
		least = min(least, c.next)
	}
	for number := max(least, m.pruned); number < len(m.status); number++ {
		if m.status[number] != committed {
			continue
		}
		for _, row := range m.log[number] {
			if number >= next || unseen[number] || row.at > at {
				keys = append(keys, row.key)
			}
		}
	}
	return keys
}

// prune removes the committed rows of the log before a time, as [pruner.prune] does.
func (m *model) prune(before time.Duration) {
	for number := m.pruned; number < len(m.log); number++ {
		if m.status[number] == committed {
			m.log[number] = slices.DeleteFunc(m.log[number], func(row logRow) bool { return row.at < before })
		}
		if m.status[number] != unfinished && (m.status[number] == aborted || len(m.log[number]) == 0) && number == m.pruned {
			m.pruned++
		}
	}
}

// crash ends all transactions. Numbers of transactions that left no trace on the disk are given again.
func (m *model) crash() {
	for t := range m.open {
		t.abort()
	}
	last := len(m.status)
	for last > 1 && m.status[last-1] == aborted {
		last--
	}
	m.status, m.log, m.pruned = m.status[:last], m.log[:last], min(m.pruned, last)
	m.crashes = append(m.crashes, crash{m.now, last})
}

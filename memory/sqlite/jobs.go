package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"mcp-memory/memory"
)

// jobLease is the name of the lease of a job.
func jobLease(job string) string { return "job " + job }

// selectJobs lists the jobs that have begun; its argument is the time now.
const selectJobs = `
	SELECT j.name, j.tick, j.done, coalesce(j.last_run_at, 0), coalesce(j.ended_at, 0), coalesce(j.retry_at, 0),
		j.failures, coalesce(j.last_error, ''), coalesce(l.owner, '')
	FROM jobs j
	LEFT JOIN leases l ON l.name = 'job ' || j.name AND l.expires > ?`

// jobRow is a row of selectJobs.
type jobRow struct {
	state                               memory.JobState
	tick, done, started, ended, retryAt int64
}

func (r *jobRow) columns() []any {
	s := &r.state
	return []any{&s.Job, &r.tick, &r.done, &r.started, &r.ended, &r.retryAt, &s.Failures, &s.LastError, &s.Owner}
}

func (r *jobRow) read() memory.JobState {
	s := r.state
	s.Tick, s.Done, s.Started = timeOrZero(r.tick), timeOrZero(r.done), timeOrZero(r.started)
	s.Ended, s.RetryAt = timeOrZero(r.ended), timeOrZero(r.retryAt)
	return s
}

// timeOrZero reads Unix nanoseconds, of which 0 stands for no time.
func timeOrZero(ns int64) time.Time {
	if ns == 0 {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

// timeOrNull is what a column holds of a time that may be none.
func timeOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixNano()
}

// JobStates returns the state of every job that has ever begun to run.
func (db *DB) JobStates(ctx context.Context) ([]memory.JobState, error) {
	list, err := collect(ctx, db.reader, selectJobs+` ORDER BY j.name`, []any{db.opts.Now().UnixNano()},
		func(rows *sql.Rows) (memory.JobState, error) {
			var r jobRow
			err := rows.Scan(r.columns()...)
			return r.read(), err
		})
	return list, db.translate("read the jobs", err)
}

// BeginJob notes that a run begins and takes the job's lease, if the job's state
// grants the claim; false when it does not. The state is the one before.
func (db *DB) BeginJob(ctx context.Context, c memory.JobClaim) (memory.JobState, bool, error) {
	now := db.opts.Now()
	var before memory.JobState
	began := false
	err := db.writer.do(ctx, func(tx tx) error {
		var r jobRow
		err := tx.row(selectJobs+` WHERE j.name = ?`, []any{now.UnixNano(), c.Job}, r.columns()...)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		before = r.read()
		before.Job = c.Job
		if !before.Grants(c, now) {
			return nil
		}
		began = true
		return beginJob(tx, c, now)
	})
	return before, began && err == nil, db.translate("begin the job", err)
}

func beginJob(tx tx, c memory.JobClaim, now time.Time) error {
	if err := tx.exec(`
		INSERT INTO leases(name, owner, fence, expires) VALUES(?, ?, 1, ?)
		ON CONFLICT(name) DO UPDATE SET fence = fence + 1, owner = excluded.owner, expires = excluded.expires`,
		jobLease(c.Job), c.Owner, now.Add(c.Lasting).UnixNano()); err != nil {
		return err
	}
	return tx.exec(`
		INSERT INTO jobs(name, tick, last_run_at) VALUES(?, ?, ?)
		ON CONFLICT(name) DO UPDATE SET
			tick = excluded.tick, last_run_at = excluded.last_run_at, ended_at = NULL, retry_at = NULL`,
		c.Job, c.Tick.UnixNano(), now.UnixNano())
}

// RenewJob makes the claim of the owner last from now on; false when another has
// the job or had it meanwhile.
func (db *DB) RenewJob(ctx context.Context, job, owner string, lasting time.Duration) (bool, error) {
	expires := db.opts.Now().Add(lasting).UnixNano()
	var renewed int64
	err := db.writer.do(ctx, func(tx tx) (err error) {
		renewed, err = tx.change(`UPDATE leases SET expires = ? WHERE name = ? AND owner = ? AND expires <> 0`, expires, jobLease(job), owner)
		return err
	})
	return renewed > 0 && err == nil, db.translate("renew the job", err)
}

// EndJob notes how the run of the owner ended and gives the job back. ErrConflict:
// another has taken it over meanwhile; nothing is noted.
func (db *DB) EndJob(ctx context.Context, e memory.JobEnd) error {
	now := db.opts.Now().UnixNano()
	err := db.writer.do(ctx, func(tx tx) error {
		if err := giveBack(tx, e.Job, e.Owner); err != nil {
			return err
		}
		if e.Failure == "" {
			return tx.exec(`
				UPDATE jobs SET ended_at = ?, done = tick, failures = 0, last_error = NULL
				WHERE name = ?`, now, e.Job)
		}
		return tx.exec(`
			UPDATE jobs SET ended_at = ?, retry_at = ?, failures = failures + 1, last_error = ?
			WHERE name = ?`, now, timeOrNull(e.RetryAt), e.Failure, e.Job)
	})
	return db.translate("end the job", err)
}

// LeaveJob gives the job back without a result: the run counts as broken off.
// ErrConflict as with EndJob.
func (db *DB) LeaveJob(ctx context.Context, job, owner string) error {
	err := db.writer.do(ctx, func(tx tx) error { return giveBack(tx, job, owner) })
	return db.translate("leave the job", err)
}

func giveBack(tx tx, job, owner string) error {
	n, err := tx.change(`UPDATE leases SET expires = 0 WHERE name = ? AND owner = ? AND expires <> 0`, jobLease(job), owner)
	if err == nil && n == 0 {
		return memory.Conflictf("the run of the job %s was taken over", job)
	}
	return err
}

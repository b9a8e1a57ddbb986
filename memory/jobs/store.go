package jobs

import (
	"context"
	"time"

	"mcp-memory/memory"
)

// Store is what a Runner needs of a store.
type Store interface {
	RunStore
	WorkStore
}

// RunStore keeps what has run and who runs what.
type RunStore interface {
	// JobStates returns the state of every job that has ever begun to run.
	JobStates(ctx context.Context) ([]memory.JobState, error)
	// BeginJob notes that a run begins, if the state of the job grants the claim
	// (see memory.JobState.Grants); false when it does not. The state is the one
	// before.
	BeginJob(ctx context.Context, c memory.JobClaim) (memory.JobState, bool, error)
	// RenewJob makes the claim of the owner last from now on; false when another
	// has the job or had it meanwhile.
	RenewJob(ctx context.Context, job, owner string, lasting time.Duration) (bool, error)
	// EndJob notes how the run ended and gives the job back. ErrConflict: another
	// has taken it over.
	EndJob(ctx context.Context, e memory.JobEnd) error
	// LeaveJob gives the job back without a result.
	LeaveJob(ctx context.Context, job, owner string) error
}

// WorkStore is the queue of work.
type WorkStore interface {
	// AddWork queues an item or replaces the payload of the one that waits.
	AddWork(ctx context.Context, w memory.Work) error
	// ClaimWork gives the owner the oldest item of the kind that may be done now;
	// false when there is none.
	ClaimWork(ctx context.Context, kind, owner string, lasting time.Duration) (memory.WorkClaim, bool, error)
	// RenewWork makes the claim last from now on; false when another has the item
	// or had it meanwhile.
	RenewWork(ctx context.Context, c memory.WorkClaim, lasting time.Duration) (bool, error)
	// FinishWork takes a done item off the queue, unless it was replaced
	// meanwhile. ErrConflict: another has taken it over.
	FinishWork(ctx context.Context, c memory.WorkClaim) error
	// PostponeWork notes a failed try; the item is offered again after until.
	PostponeWork(ctx context.Context, c memory.WorkClaim, until time.Time, reason string) error
	// LeaveWork gives the item back as it was taken.
	LeaveWork(ctx context.Context, c memory.WorkClaim) error
	// Backlog lists the work that is not done, oldest first.
	Backlog(ctx context.Context) ([]memory.WorkState, error)
}

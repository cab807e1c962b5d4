package app

import (
	"fmt"

	"hermes/core/review"
)

// checkLearning says whether learning goes on, and what of it waits for the person.
func (a *App) checkLearning() Check {
	counts, err := a.Book.Counts()
	if err != nil {
		return bad("learning", "warn", err)
	}
	waiting, odd, err := a.Inbox.List()
	if err != nil {
		return bad("learning", "warn", err)
	}
	c := a.Config().Review
	day, err := a.Book.SpentToday()
	if err != nil {
		return bad("learning", "warn", err)
	}
	switch {
	case len(odd) > 0:
		return Check{"learning", "warn", fmt.Sprintf("%d proposals cannot be read: %s", len(odd), odd[0]), "remove the file that is named"}
	case len(waiting) > 0:
		return Check{"learning", "warn", fmt.Sprintf("%d proposals wait for you", len(waiting)), "hermes reviews list, or Ctrl+X r in the workspace"}
	case !c.Enabled:
		return ok("learning", "reviews are off (review.enabled)")
	case counts.Paused:
		return Check{"learning", "warn", fmt.Sprintf("learning is paused; %d turns wait for a review", counts.Unreviewed), "hermes reviews resume"}
	case c.MaxCostPerDay > 0 && day.USD >= c.MaxCostPerDay:
		return Check{"learning", "warn", fmt.Sprintf("today's limit of $%.2f is reached", c.MaxCostPerDay), "raise review.max_cost_per_day, or wait until tomorrow"}
	}
	if last, err := a.Reviews.Get("last"); err == nil && last.State == review.Failed {
		return Check{"learning", "warn", "the last review failed: " + last.Error, "hermes reviews show last"}
	}
	return ok("learning", "on; %d user turns and %d model steps since the last review", counts.UserTurns, counts.ModelSteps)
}

package verdict

import (
	"context"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// Compose loads a compose file as the engine does: interpolation, the specification's
// schema, and the existence of everything that is referred to.
func Compose(ctx context.Context, file string, profiles, environment []string) (*types.Project, error) {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithProfiles(profiles), cli.WithEnv(environment), cli.WithName("galla"))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(ctx)
}

import type { Variables } from '../platform/store/variables.ts';
import type { Project } from './project.ts';

/** The variables with which Heroku's users keep the development dependencies. */
const KEEPING = {
  npm: ['NPM_CONFIG_PRODUCTION', 'false'],
  pnpm: ['PNPM_SKIP_PRUNING', 'true'],
  yarn: ['YARN_PRODUCTION', 'false'],
  berry: ['YARN2_SKIP_PRUNING', 'true'],
} as const;

/**
 * Returns why the development dependencies stay in the release, as the end of a sentence, or `undefined` when they are
 * removed. https://devcenter.heroku.com/articles/nodejs-classic-buildpack-builds#skip-pruning
 */
export function keepsDevelopment({ manager }: Project, variables: Variables): string | undefined {
  const { NODE_ENV } = variables;
  if (NODE_ENV !== undefined && NODE_ENV !== 'production') return 'the variable NODE_ENV is not "production"';
  const [name, value] = KEEPING[manager.kind];
  if (variables[name] === value) return `the variable ${name} is "${value}"`;
  const old = manager.kind === 'berry' && manager.tool?.range.match(/^[^\d]*([23])/);
  return old ? `Yarn ${old[1]} cannot remove them` : undefined;
}

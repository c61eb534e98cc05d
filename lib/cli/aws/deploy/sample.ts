import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Entry } from '../../../client/entry.ts';
import { type Call, EXIT } from '../../command.ts';
import { gitIn } from '../../deploy/git.ts';
import { follow } from '../../deploy/operation.ts';
import { UsageError } from '../../errors.ts';
import { type Api, Refusal } from '../../service/api.ts';
import { entryOf } from '../../service/entry.ts';

/** An application in a public repository on GitHub. */
export interface Sample {
  readonly owner: string;
  readonly name: string;
  /** The folder of the application in the repository; absent for the root. */
  readonly path?: string;
}

/** The tip of a repository's default branch. */
interface Tip {
  readonly branch: string;
  readonly sha: string;
}

const project = fileURLToPath(new URL('../../../../', import.meta.url));
/** The sample application of `npm start`, which every copy of this repository has. */
const SAMPLE_FOLDER = 'lib/local/sample/hello';
const NO_COMMIT = '0'.repeat(40);
const TRIES = 5;
const PAUSE_MS = 2_000;

/** Returns the sample that an option names; null without one. Throws a `UsageError`. */
export function sampleNamed(text: string | undefined): Sample | null {
  if (text === undefined) return null;
  const [, owner, name, path] = /^([\w.-]+)\/([\w.-]+?)(?:\/([\w./-]+))?$/.exec(text) ?? [];
  if (owner === undefined || name === undefined) {
    throw new UsageError('--sample takes <owner>/<repository>, and a folder in it: <owner>/<repository>/<folder>.');
  }
  return { owner, name, ...(path !== undefined && { path }) };
}

/**
 * Deploys a sample as a push to its repository would, with the call that GitHub makes of the webhook, and follows it to
 * its address. Without a name it is the sample in the repository that this checkout was cloned from, when that is
 * public on GitHub. Returns the exit code.
 */
export async function deploySample(call: Call, client: Api, named: Sample | null): Promise<number> {
  const { print, signal, env } = call;
  const git = gitIn(project, env, signal);
  const sample = named ?? originOf(await git.read(['remote', 'get-url', 'origin']));
  const tip = sample && tipIn(await git.read(['-c', 'credential.helper=', ...lsRemote(sample)]));
  if (!sample || !tip) {
    const where = sample
      ? `${sample.owner}/${sample.name} is not public there`
      : 'this checkout was not cloned from there';
    print(`No sample is deployed: it has to be in a public repository on GitHub, and ${where}.`);
    print('Name one with a package.json in its root: npm run deploy -- --sample <owner>/<repository>');
    return named ? EXIT.failed : EXIT.ok;
  }
  print(
    `A push to test it: ${[sample.owner, sample.name, sample.path].filter(Boolean).join('/')}, branch ${tip.branch}.`,
  );
  return follow(call, client, await push(client, sample, tip, signal));
}

function lsRemote({ owner, name }: Sample): readonly string[] {
  return ['ls-remote', '--symref', `https://github.com/${owner}/${name}.git`, 'HEAD'];
}

function originOf(address: string | null): Sample | null {
  const [, owner, name] = /github\.com[/:]([\w.-]+)\/([\w.-]+?)(?:\.git)?\/?$/.exec(address ?? '') ?? [];
  return owner !== undefined && name !== undefined ? { owner, name, path: SAMPLE_FOLDER } : null;
}

/** The lines are `ref: refs/heads/main<tab>HEAD` and `<commit><tab>HEAD`. */
function tipIn(lines: string | null): Tip | null {
  const [, branch] = /^ref: refs\/heads\/(\S+)\tHEAD$/m.exec(lines ?? '') ?? [];
  const [, sha] = /^([0-9a-f]{40})\tHEAD$/m.exec(lines ?? '') ?? [];
  return branch !== undefined && sha !== undefined ? { branch, sha } : null;
}

/** A service that was deployed a moment ago may refuse its first calls. */
async function push(client: Api, sample: Sample, tip: Tip, signal: AbortSignal): Promise<Entry> {
  const query = { branch: tip.branch, path: sample.path, ci: 'ignore' };
  for (let tries = 1; ; tries += 1) {
    try {
      return entryOf(await client.call({ method: 'POST', path: ['deploy'], query, body: pushOf(sample, tip) }));
    } catch (error) {
      const isEarly = error instanceof Refusal && (error.status >= 500 || error.code === null);
      if (!isEarly || tries === TRIES) throw error;
      await pause(PAUSE_MS, undefined, { signal });
    }
  }
}

/**
 * Returns the push as GitHub's webhook says it. The time makes it a new push, also of a commit that was
 * deployed before.
 */
export function pushOf({ owner, name }: Sample, { branch, sha }: Tip): object {
  return {
    ref: `refs/heads/${branch}`,
    before: NO_COMMIT,
    after: sha,
    repository: {
      name,
      full_name: `${owner}/${name}`,
      owner: { login: owner },
      private: false,
      html_url: `https://github.com/${owner}/${name}`,
      pushed_at: Date.now(),
    },
    head_commit: { id: sha, message: 'The sample, by "npm run deploy"' },
  };
}

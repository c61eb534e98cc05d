import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { CheckOutcome } from '../../../core/payload/delivery.ts';
import { defineSender } from '../define-sender.ts';
import { buildResult } from '../fields/build.ts';
import { refName, sha } from '../fields/git.ts';
import { readBody } from '../fields/read.ts';
import { delivered, hostKindAt, repositoryAt, repositoryNamed } from '../fields/remote.ts';
import { verdictReader } from '../fields/verdict.ts';

const words: Readonly<Record<CheckOutcome, readonly string[]>> = {
  passed: ['success', 'successful', 'succeeded', 'passed', 'ok'],
  failed: ['failure', 'failed', 'error', 'errored', 'broken', 'canceled', 'cancelled', 'aborted', 'timed_out'],
  pending: ['pending', 'queued', 'waiting', 'started', 'running', 'in_progress'],
  neutral: ['neutral', 'skipped'],
};
const outcomes = new Map(
  Object.entries(words).flatMap(([outcome, states]) => states.map((state) => [state, outcome as CheckOutcome])),
);

const repositoryOf = (sent: string) => repositoryAt(sent) ?? repositoryNamed(sent);

/** The number of the build; null for a variable that is not set. */
const build = v.nullish(
  v.pipe(
    v.union([v.number(), v.string()]),
    v.transform((sent) => (sent === '' ? null : Number(sent))),
    v.nullable(v.pipe(v.number(), v.safeInteger('is not a whole number'))),
  ),
);

const ciBody = v.object({
  commit: sha,
  branch: v.pipe(
    v.string('is not a string'),
    v.transform((name) => name.replace(/^refs\/heads\//, '')),
    refName,
  ),
  repository: v.pipe(
    v.string('is not a string'),
    v.check((sent) => repositoryOf(sent) !== null, 'is neither the address of a repository nor <owner>/<name>'),
    v.transform((sent) => delivered(repositoryOf(sent))),
  ),
  state: v.pipe(
    v.string('is not a string'),
    v.toLowerCase(),
    v.check((state) => outcomes.has(state), `is none of ${[...outcomes.keys()].join(', ')}`),
  ),
  build,
});

/** The call of this service's own for CI providers that have none, or whose call is not known. */
export const ci = defineSender({
  id: 'ci',
  name: 'Any other CI',
  sends: 'builds',
  requiredFields: ['commit', 'branch', 'repository', 'state'],
  // Travis CI has these fields too.
  foreignFields: ['repository.name'],
  setup: ({ plainUrl, user, secret, repository }) => ({
    where: 'A command at the end of the build, also of one that has failed',
    lines: [
      `format='{"commit":"%s","branch":"%s","repository":"${repository}","state":"%s","build":"%s"}'`,
      `printf "$format" "$COMMIT" "$BRANCH" "$STATE" "$BUILD" | curl -fsS -u "$LOGIN" -d @- '${plainUrl}'`,
    ].join('\n'),
    notes: [
      'Put the variables of the CI provider in place of `COMMIT` (the whole id), `BRANCH` and `STATE`: ' +
        `${words.passed[0]}, ${words.failed[0]} or ${words.pending[0]}, or one of their usual synonyms.`,
      '`BUILD`, the number of the build, may be left out: by it the last result counts when calls arrive in another order.',
      `\`LOGIN\` is a secret variable: \`${user}:${secret}\`.`,
      'The repository is `<owner>/<name>`, of one that has pushed, or its address. A build of a pull request makes no call.',
    ],
  }),
  read: ({ body }) => {
    const { commit, branch, repository, state, build: run } = readBody(ciBody, body, 'a build of any CI');
    return [
      buildResult({
        hostKind: hostKindAt(repository.hostname),
        // Nothing tells a call that is repeated from a build that passes again, and that does no harm.
        id: null,
        check: { usual: 'CI', run },
        verdict: verdictOf({ state }),
        repository,
        branch,
        sha: commit,
      }),
    ];
  },
  verdict: verdictReader(v.pick(ciBody, ['state']), verdictOf),
});

function verdictOf({ state }: { readonly state: string }): BuildVerdict {
  return { outcome: outcomes.get(state) ?? 'failed', state, pullRequest: false };
}

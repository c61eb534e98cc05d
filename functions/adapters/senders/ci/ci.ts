import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { CheckOutcome } from '../../../core/payload/delivery.ts';
import { defineSender } from '../define-sender.ts';
import { buildResult } from '../fields/build.ts';
import { refName, sha } from '../fields/git.ts';
import { factsId, readBody } from '../fields/read.ts';
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
});

/** The call of this service's own for CI providers that have none, or whose call is not known. */
export const ci = defineSender({
  id: 'ci',
  name: 'Any other CI',
  sends: 'builds',
  requiredFields: ['commit', 'branch', 'repository', 'state'],
  // Travis CI has these fields too.
  foreignFields: ['repository.name'],
  tested: { with: 'fixtures; its set-up, run by a shell', how: ['read', 'run'] },
  setup: ({ plainUrl, user, secret, repository }) => ({
    where: 'A command at the end of the build, also of one that has failed',
    language: 'sh',
    lines: [
      `format='{"commit":"%s","branch":"%s","repository":"${repository}","state":"%s"}'`,
      `printf "$format" "$COMMIT" "$BRANCH" "$STATE" | curl -fsS -u "$LOGIN" -d @- '${plainUrl}'`,
    ].join('\n'),
    notes: [
      'Put the variables of the CI provider in place of `COMMIT` (the whole id), `BRANCH` and `STATE`: ' +
        `${words.passed[0]}, ${words.failed[0]} or ${words.pending[0]}, or one of their usual synonyms.`,
      `\`LOGIN\` is a secret variable: \`${user}:${secret}\`.`,
      'The repository is `<owner>/<name>`, of one that has pushed, or its address. A build of a pull request makes no call.',
    ],
  }),
  read: ({ body }) => {
    const { commit, branch, repository, state } = readBody(ciBody, body, 'a build of any CI');
    return [
      buildResult({
        hostKind: hostKindAt(repository.hostname),
        id: factsId('build', [repository.hostname, repository.owner, repository.name, commit, branch, state]),
        check: { usual: 'CI' },
        verdict: verdictOf({ state }),
        ...{ repository, branch, sha: commit },
      }),
    ];
  },
  verdict: verdictReader(v.pick(ciBody, ['state']), verdictOf),
});

function verdictOf({ state }: { readonly state: string }): BuildVerdict {
  return { outcome: outcomes.get(state) ?? 'failed', state, pullRequest: false };
}

import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import { ANY_HOST_KIND, type CheckOutcome, type Delivery } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { buildResult } from '../fields/build.ts';
import { branchNamed, sha, shaOrPrefix } from '../fields/git.ts';
import { factsId, optionalId, optionalNumber, readBody, text } from '../fields/read.ts';
import { delivered, repositoryNamed } from '../fields/remote.ts';
import { verdictReader } from '../fields/verdict.ts';
import { appveyorConfig } from './config.ts';

const endFields = v.object({ passed: v.nullish(v.boolean()), status: text, isPullRequest: v.optional(v.unknown()) });
const build = v.object({
  ...endFields.entries,
  finished: text,
  buildId: v.union([v.number(), v.string()]),
  projectId: optionalId,
  projectName: text,
  buildNumber: optionalNumber,
  repositoryProvider: text,
  repositoryName: v.pipe(
    v.string(),
    v.check((name) => repositoryNamed(name) !== null, 'is not owner/name'),
  ),
  branch: text,
  commitId: shaOrPrefix,
  commitAuthor: text,
  commitMessage: text,
  commitMessageExtended: text,
  buildUrl: text,
});
type Build = v.InferOutput<typeof build>;
type BuildEnd = v.InferOutput<typeof endFields>;

const namedEnd = v.pipe(
  endFields,
  v.check(({ passed, status }) => (passed ?? status ?? null) !== null, 'does not say how the build ended'),
);

const pendingWords = ['queued', 'starting', 'running', 'cancelling'];
/** The kinds of repository host that AppVeyor names. The payload has no URL of the repository. */
const hostKinds = ['github', 'bitbucket', 'gitlab', 'gitea'];

/**
 * AppVeyor's webhook notifications with their default payload
 * (https://www.appveyor.com/docs/notifications/#webhook-payload-default). They contain only the first ten digits of the
 * commit id and no URL of the repository.
 */
export const appveyor = defineSender({
  id: 'appveyor',
  name: 'AppVeyor',
  sends: 'builds',
  requiredFields: ['eventName', 'eventData.commitId', 'eventData.repositoryName'],
  configFile: appveyorConfig,
  tested: { with: 'fixtures', how: ['read'] },
  setup: ({ url, plainUrl, authorization }) => ({
    where: 'Project → Settings → Notifications → Add notification → Webhook',
    settings: [
      ['Webhook URL', url],
      ['On build success', 'yes'],
      ['On build failure', 'no'],
    ],
    notes: [
      `Or in appveyor.yml: an item of \`notifications\` with \`provider: Webhook\`, \`url: ${plainUrl}\`, ` +
        `\`on_build_success: true\`, \`on_build_failure: false\`, and under \`headers\` an encrypted ` +
        `\`Authorization: {secure: …}\` of the value \`${authorization}\`.`,
      'AppVeyor sends ten digits of the commit: its call releases a push that waits, but cannot deploy one.',
    ],
  }),
  read: ({ body }: HookCall) => [
    buildOf(readBody(v.object({ eventData: build }), body, 'a build of AppVeyor').eventData),
  ],
  verdict: verdictReader(v.object({ eventData: namedEnd }), ({ eventData }) => verdictOf(eventData)),
});

function buildOf(data: Build): WithoutProvider<Delivery> {
  const { commitId } = data;
  const isWhole = v.is(sha, commitId);
  const kind = data.repositoryProvider?.toLowerCase() ?? '';
  return buildResult({
    hostKind: hostKinds.includes(kind) ? kind : ANY_HOST_KIND,
    id: factsId('build', [data.buildId, data.status ?? null, data.finished ?? null]),
    repository: delivered(repositoryNamed(data.repositoryName)),
    sha: isWhole ? commitId : null,
    shaPrefix: isWhole ? null : commitId,
    branch: branchNamed(data.branch),
    check: { name: data.projectName, usual: 'AppVeyor', id: data.projectId, run: data.buildNumber },
    verdict: verdictOf(data),
    message: [data.commitMessage, data.commitMessageExtended].filter(Boolean).join('\n\n'),
    author: data.commitAuthor,
    url: data.buildUrl,
  });
}

function verdictOf(end: BuildEnd): BuildVerdict {
  const state = oneLine(end.status ?? '', 40) ?? (end.passed === true ? 'Success' : 'Failed');
  return { outcome: outcomeOf(end), state, pullRequest: isTrue(end.isPullRequest) };
}

/** Templates write the flag as a boolean or a string. Other values are never converted: they come from the sender. */
function isTrue(flag: unknown): boolean {
  return flag === true || (typeof flag === 'string' && /^true$/i.test(flag));
}

/** A build passed if both fields agree; a custom template may omit one of them. */
function outcomeOf({ passed, status }: BuildEnd): CheckOutcome {
  const word = status?.toLowerCase();
  if (word !== undefined && pendingWords.includes(word)) return 'pending';
  if (word === undefined) return passed === true ? 'passed' : 'failed';
  return word === 'success' && passed !== false ? 'passed' : 'failed';
}

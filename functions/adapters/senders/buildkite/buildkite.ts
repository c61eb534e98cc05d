import * as v from 'valibot';
import { isObject } from '../../../core/json.ts';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { CheckOutcome, Delivery } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { sameSecret } from '../../../core/secrets.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { buildResult } from '../fields/build.ts';
import { branchNamed, sha } from '../fields/git.ts';
import { factsId, readBody, text } from '../fields/read.ts';
import { hostKindAt, remoteRepository } from '../fields/remote.ts';
import { isTimed, TIMED_STATE, verdictReader } from '../fields/verdict.ts';
import { hmac, isRecent, type SignatureScheme } from '../signatures/scheme.ts';
import { buildkiteConfig } from './config.ts';

/**
 * Buildkite: the token itself, or a signature over time and body
 * (https://buildkite.com/docs/apis/webhooks/pipelines#webhook-signature).
 */
const buildkiteSignature: SignatureScheme = {
  isSigned: (headers) => Boolean(headers['x-buildkite-token'] || headers['x-buildkite-signature']),
  isValid: ({ headers, raw }, secret, now) => {
    if (sameSecret(headers['x-buildkite-token'] ?? '', secret)) return true;
    const signature = /^timestamp=(\d{1,12}),signature=([\da-f]{64})$/.exec(headers['x-buildkite-signature'] ?? '');
    const [, time = '', digits = ''] = signature ?? [];
    return (
      signature !== null && isRecent(Number(time), now) && sameSecret(digits, hmac(secret, 'hex', `${time}.`, raw))
    );
  },
};

const endFields = v.object({
  state: v.string(),
  blocked: v.nullish(v.boolean()),
  source: text,
  pull_request: v.optional(v.unknown()),
});
const buildBody = v.object({
  build: v.object({
    ...endFields.entries,
    id: v.string(),
    finished_at: text,
    branch: text,
    tag: text,
    commit: sha,
    message: text,
    author: v.nullish(v.object({ name: text })),
    web_url: text,
  }),
  pipeline: v.object({ id: text, slug: text, repository: remoteRepository }),
});
type Body = v.InferOutput<typeof buildBody>;
type BuildEnd = v.InferOutput<typeof endFields>;

const outcomes = new Map<string, CheckOutcome>([
  ['passed', 'passed'],
  ['failed', 'failed'],
  ['canceled', 'failed'],
  ['skipped', 'neutral'],
  ['not_run', 'neutral'],
]);

/**
 * Buildkite's finished builds (https://buildkite.com/docs/apis/webhooks/pipelines/build-events). A build that waits at
 * a block step is also reported as finished, even with the state `passed`, and again after it is unblocked.
 */
export const buildkite = defineSender({
  id: 'buildkite',
  name: 'Buildkite',
  sends: 'builds',
  header: 'X-Buildkite-Event',
  requiredFields: ['event', 'build.commit', 'pipeline.repository'],
  signature: buildkiteSignature,
  configFile: buildkiteConfig,
  tested: { with: 'fixtures', how: ['read', 'signed'] },
  setup: ({ url }) => ({
    where: 'Settings → Notification Services → Webhook: Add',
    settings: [
      ['Webhook URL', url],
      ['Events', 'build.finished'],
    ],
    secretSetting: 'Token',
    notes: [`Or add to .buildkite/pipeline.yml: \`notify: [{webhook: "${url}"}]\`.`],
  }),
  read: (call) => [read(call)],
  verdict: verdictReader(v.object({ build: endFields }), ({ build }) => verdictOf(build)),
});

function read({ headers, body }: HookCall): WithoutProvider<Delivery> {
  const { event } = readBody(v.object({ event: text }), body, 'an event of Buildkite');
  const shown = oneLine(headers['x-buildkite-event'] ?? event ?? '', 60) ?? 'without a name';
  if (shown === 'build.finished') return buildOf(readBody(buildBody, body, 'a build of Buildkite'));
  const reason = `The event ${shown} of Buildkite deploys nothing; the service waits for build.finished.`;
  return { kind: 'notice', id: null, repository: null, reason };
}

function buildOf({ build, pipeline }: Body): WithoutProvider<Delivery> {
  return buildResult({
    hostKind: hostKindAt(pipeline.repository.hostname),
    // A build finishes again after it is unblocked or a failed job is retried.
    id: factsId('build', [build.id, build.state, build.finished_at ?? null, build.blocked === true ? 'blocked' : null]),
    repository: pipeline.repository,
    sha: build.commit,
    branch: build.tag ? null : branchNamed(build.branch),
    check: { name: pipeline.slug, usual: 'Buildkite', id: pipeline.id, run: build.finished_at },
    verdict: verdictOf(build),
    message: build.message,
    author: build.author?.name,
    url: build.web_url,
  });
}

function verdictOf(build: BuildEnd): BuildVerdict {
  const pullRequest = isPullRequest(build);
  if (isTimed(build.source)) return { outcome: 'neutral', state: TIMED_STATE, pullRequest };
  if (build.blocked === true) return { outcome: 'pending', state: 'blocked', pullRequest };
  return {
    outcome: outcomes.get(build.state) ?? 'pending',
    state: oneLine(build.state, 40) ?? 'no state',
    pullRequest,
  };
}

/**
 * A build that is not of a pull request has `null`, or an object whose fields are missing or null
 * (https://buildkite.com/docs/apis/rest-api/builds).
 */
function isPullRequest({ pull_request: value }: BuildEnd): boolean {
  if (isObject(value)) return Object.values(value).some((field) => field !== null && field !== '');
  return Boolean(value);
}

import * as v from 'valibot';
import type { BuildVerdict } from '../../../core/payload/branch.ts';
import type { CheckOutcome, Delivery } from '../../../core/payload/delivery.ts';
import type { HookCall } from '../../../core/ports/sender.ts';
import { oneLine } from '../../../core/text.ts';
import { defineSender, type WithoutProvider } from '../define-sender.ts';
import { webAddress } from '../fields/address.ts';
import { messageFields } from '../fields/commit-message.ts';
import { factsId } from '../fields/delivery-id.ts';
import { branchNamed, branchOf, sha } from '../fields/git.ts';
import { delivered } from '../fields/located.ts';
import { readBody } from '../fields/read.ts';
import { hostKindAt, type LocatedRepository, repositoryAt, repositoryNamed } from '../fields/remote.ts';
import { isTimed, TIMED_STATE } from '../fields/timed.ts';
import { verdictFields, verdictReader } from '../fields/verdict.ts';
import { droneConfig } from './config.ts';
import { droneSignature } from './signature.ts';

const text = v.nullish(v.string());
const time = v.nullish(v.number());
// Drone's own webhook sends `after`, `target` and `slug`; the webhook plugin of Drone and Woodpecker sends `commit`,
// `branch`, `owner` and `name`.
const repo = v.object({ slug: text, owner: text, name: text, link: text, git_http_url: text });
const endFields = v.object({ status: v.string(), event: text });
const buildFields = v.object({
  ...endFields.entries,
  number: v.number(),
  after: v.nullish(sha),
  commit: v.nullish(sha),
  ref: text,
  target: text,
  branch: text,
  tag: text,
  message: text,
  author_name: text,
  author: text,
  link: text,
  finished: time,
  started: time,
  created: time,
});
const buildBody = v.object({
  repo: v.pipe(
    repo,
    v.check((fields) => repositoryOf(fields) !== null, 'has no valid owner and name'),
    v.transform((fields) => delivered(repositoryOf(fields))),
  ),
  build: v.pipe(
    buildFields,
    v.check(({ after, commit }) => Boolean(after ?? commit), 'names no commit'),
  ),
});
type Body = v.InferOutput<typeof buildBody>;
type Build = Body['build'];
type BuildEnd = v.InferOutput<typeof endFields>;

const pendingWords = ['pending', 'running', 'started', 'blocked', 'waiting_on_dependencies', 'created'];
const neutralWords = ['skipped'];
const passedWords = ['success', 'passing'];
/** Events whose builds test a commit; promotions and timed builds do not. */
const commitEvents = ['push', 'custom', 'manual', 'tag', 'pull_request'];

/**
 * Drone's system webhooks (https://docs.drone.io/webhooks/overview/) and the webhook plugin, which is a step of a Drone
 * or Woodpecker pipeline (https://plugins.drone.io/plugins/webhook).
 */
export const drone = defineSender({
  id: 'drone',
  name: 'Drone',
  sends: 'builds',
  header: 'X-Drone-Event',
  requiredFields: ['repo.name', 'build.number', 'build.status', 'build.event'],
  signature: droneSignature,
  configFile: droneConfig,
  tested: { with: 'fixtures, of the server and of the plugin', how: ['read', 'signed'] },
  setup: ({ url }) => ({
    where: 'environment of the Drone server, for all of its repositories',
    settings: [
      ['DRONE_WEBHOOK_ENDPOINT', url],
      ['DRONE_WEBHOOK_EVENTS', 'build'],
    ],
    secretSetting: 'DRONE_WEBHOOK_SECRET',
    notes: [
      'Or for one repository, the webhook plugin as the last step of .drone.yml, as for Woodpecker, with the image ' +
        'plugins/webhook. The plugin does not sign its calls.',
    ],
  }),
  read: (call) => [read(call)],
  verdict: verdictReader(v.object({ build: endFields }), ({ build }) => verdictOf(build)),
});

function read({ headers, body }: HookCall): WithoutProvider<Delivery> {
  const event = oneLine(headers['x-drone-event'] ?? 'build', 60) ?? 'without a name';
  if (event === 'build') return buildOf(readBody(buildBody, body, 'a build of Drone'));
  const reason = `The event ${event} of Drone deploys nothing; the service waits for builds.`;
  return { kind: 'notice', id: null, repository: null, reason };
}

function buildOf({ repo: repository, build }: Body): WithoutProvider<Delivery> {
  const { owner, name, hostname } = repository;
  const reached = build.finished || build.started || build.created || null;
  return {
    kind: 'build',
    hostKind: hostKindAt(hostname),
    id: factsId('build', [hostname, owner, name, build.number, build.status, reached]),
    repository,
    sha: build.after ?? build.commit ?? null,
    shaPrefix: null,
    branch: branchBuilt(build),
    check: 'Drone',
    ...verdictFields(verdictOf(build)),
    ...messageFields(build.message),
    author: oneLine(build.author_name ?? build.author ?? '', 100),
    url: webAddress(build.link)?.href ?? null,
  };
}

function branchBuilt({ event, tag, ref, target, branch }: Build): string | null {
  if (event === 'tag' || tag || ref?.startsWith('refs/tags/')) return null;
  return branchNamed(target ?? branch ?? branchOf(ref ?? ''));
}

function verdictOf(build: BuildEnd): BuildVerdict {
  const state = isTimed(build.event) ? TIMED_STATE : (oneLine(build.status, 40) ?? 'no status');
  return { outcome: outcomeOf(build), state, pullRequest: build.event === 'pull_request' };
}

function outcomeOf({ event, status }: BuildEnd): CheckOutcome {
  if (!commitEvents.includes(event ?? 'push') || neutralWords.includes(status)) return 'neutral';
  if (pendingWords.includes(status)) return 'pending';
  return passedWords.includes(status) ? 'passed' : 'failed';
}

function repositoryOf({ slug, owner, name, link, git_http_url }: v.InferOutput<typeof repo>): LocatedRepository | null {
  const page = repositoryAt(link) ?? repositoryAt(git_http_url);
  return page ?? repositoryNamed(slug ?? (owner && name ? `${owner}/${name}` : null));
}

import type { HookCall } from '../../../core/ports/sender.ts';

/** Who announces events in which header, in the order of asking: the first three also send GitHub's header. */
const eventHeaders = [
  ['x-forgejo-event', 'Forgejo'],
  ['x-gitea-event', 'Gitea'],
  ['x-gogs-event', 'Gogs'],
  ['x-gitlab-event', 'GitLab'],
  ['x-event-key', 'Bitbucket'],
  ['x-github-event', 'GitHub'],
  ['circleci-event-type', 'CircleCI'],
  ['x-buildkite-event', 'Buildkite'],
  ['x-drone-event', 'Drone'],
  ['travis-repo-slug', 'Travis CI'],
] as const;

/** Who sent a call, by the header that only this sender puts first. */
export interface Announcement {
  readonly header: string;
  readonly by: (typeof eventHeaders)[number][1];
  /** The header's value: the event. */
  readonly event: string;
}

/** What the headers say about the sender; null when no known sender's header is there. */
export function announcement(headers: HookCall['headers']): Announcement | null {
  for (const [header, by] of eventHeaders) {
    const event = headers[header];
    if (event !== undefined) return { header, by, event };
  }
  return null;
}

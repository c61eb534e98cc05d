import type { SenderRegistry } from '../../../functions/adapters/senders/registry.ts';

/** The senders whose webhook can be set up. Listed again, because the registry takes a second to load. */
export const SENDERS: readonly string[] = [
  'forgejo',
  'forgejo-actions',
  'gitea',
  'gitea-actions',
  'gitlab',
  'gitlab-ci',
  'bitbucket',
  'bitbucket-pipelines',
  'github',
  'github-actions',
  'github-checks',
  'github-status',
  'travis',
  'circleci',
  'buildkite',
  'appveyor',
  'drone',
  'woodpecker',
  'jenkins',
  'jenkins-pipeline',
];

/** Loads all that is known of the senders. */
export async function loadSenders(): Promise<SenderRegistry> {
  const { senderRegistry, senders } = await import('../../../functions/adapters/senders/registry.ts');
  return senderRegistry(senders);
}

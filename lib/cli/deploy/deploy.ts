import { appName } from '../apps/app-name.ts';
import { APP_ARGUMENT, type Call, type CommandDefinition } from '../command.ts';
import { api } from '../service/api.ts';
import { findService } from '../service/find-service.ts';
import { REMOTE } from './embedded-host.ts';
import { gitIn } from './git.ts';
import { OPERATION_OPTIONS, operate } from './operation.ts';
import { pushFolder } from './push-folder.ts';

export const deploy: CommandDefinition = {
  name: 'deploy',
  summary: 'Deploy this folder, or what the repository host has',
  details: `In a git folder without a remote, or with the remote "${REMOTE}" of "hooks create", the commit that is checked out is pushed to the
service on this machine. Otherwise the service fetches the tip of the application's branch from its repository host, without waiting for
a webhook or CI.`,
  args: [APP_ARGUMENT],
  options: [
    { flags: '--ref <ref>', about: 'another branch, or a commit by its whole id, from the repository host' },
    { flags: '--force', about: 'when the folder is pushed: also over a newer commit' },
    ...OPERATION_OPTIONS,
  ],
  examples: [
    ['hooks deploy', 'what is checked out in this folder'],
    ['hooks deploy shop', "the tip of shop's branch, from its host"],
    ['hooks deploy shop --ref feature/new', 'another branch, until the next push'],
  ],
  run,
};

async function run(call: Call): Promise<number> {
  const { args, folder, env, signal } = call;
  const service = await findService(call);
  const client = api(service, signal);
  const ref = args.text('ref');
  const git = gitIn(folder, env, signal);
  if (args.at(0) === undefined && ref === undefined) {
    const remotes = (await git.read(['remote']))?.split('\n').filter(Boolean);
    if (remotes && (remotes.length === 0 || remotes.includes(REMOTE))) return pushFolder(call, client, git);
  }
  const app = await appName(call, args.at(0));
  return operate(call, client, { request: { path: ['apps', service.user, app, 'deploy'], query: { ref } } });
}

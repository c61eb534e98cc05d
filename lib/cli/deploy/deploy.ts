import { shaOf } from '../../client/entry.ts';
import { appName, REMOTE } from '../apps/app-name.ts';
import { APP_ARGUMENT, type Call, type CommandDefinition } from '../command.ts';
import { type Api, api } from '../service/api.ts';
import { logPage } from '../service/entry.ts';
import { findService } from '../service/find-service.ts';
import { loginEnvironment } from './embedded-host.ts';
import { type Git, gitIn } from './git.ts';
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
    {
      flags: '--ref <ref>',
      about: 'another branch, or a commit by at least 7 digits of its id, from the repository host',
    },
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
  const git = gitIn(folder, { ...env, ...loginEnvironment(service) }, signal);
  if (args.app() === undefined && ref === undefined) {
    const remotes = (await git.read(['remote']))?.split('\n').filter(Boolean);
    if (remotes && (remotes.length === 0 || remotes.includes(REMOTE))) return pushFolder(call, client, git);
  }
  const app = await appName(call);
  const whole = await wholeCommit(ref, { app, client, git });
  return operate(call, client, { request: { path: ['apps', service.user, app, 'deploy'], query: { ref: whole } } });
}

interface Known {
  readonly app: string;
  readonly client: Api;
  readonly git: Git;
}

/** The repository host takes whole ids: a short one is looked up in the log of the application, then in the folder. */
async function wholeCommit(ref: string | undefined, { app, client, git }: Known): Promise<string | undefined> {
  if (ref === undefined || !/^[0-9a-f]{7,39}$/.test(ref)) return ref;
  const { rows } = await logPage(client, { app });
  const logged = rows.map(shaOf).find((sha) => sha?.startsWith(ref));
  return logged ?? (await git.read(['rev-parse', '--verify', '--quiet', `${ref}^{commit}`])) ?? ref;
}

import { userInfo } from 'node:os';
import type { Call, CommandDefinition } from '../command.ts';
import { UsageError } from '../errors.ts';
import { CADDY_FILE, caddyfile } from './caddyfile.ts';
import { type Installation, installationOf } from './installation.ts';
import { RUNNER_UNIT_FILE, runnerUnit, systemdUnit, UNIT_FILE, WATCH_UNIT_FILE, watchUnit } from './systemd-unit.ts';

export const server: CommandDefinition = {
  name: 'server',
  summary: 'Print systemd units and a Caddyfile for a server',
  details: `Fitted to this checkout, this Node, PORT, DATA_DIR and the domain of the applications: APPS_DOMAIN, or "appsDomain" in
config.json. One DNS record is needed, *.<domain>. Nothing is written or started.`,
  options: [
    { flags: '--domain <name>', about: 'the domain of the applications, such as apps.example.com' },
    { flags: '--as <user>', about: 'the user that the service runs as; default: you' },
    { flags: '--systemd', about: 'print the unit of the service alone' },
    { flags: '--runner', about: 'print the unit of the applications alone' },
    { flags: '--caddy', about: 'print the Caddyfile alone' },
    { flags: '--watch <command>', about: 'print the unit of "hooks watch --run <command>", in this folder' },
  ],
  examples: [
    ['hooks server --domain apps.example.com', 'all, and where they belong'],
    [`hooks server --systemd | sudo tee ${UNIT_FILE}`, 'install the unit of the service'],
    [`hooks server --runner | sudo tee ${RUNNER_UNIT_FILE}`, 'install that of the applications'],
    [`hooks server --watch ./notify.sh | sudo tee ${WATCH_UNIT_FILE}`, 'have a script told of failures'],
    [`hooks server --caddy | sudo tee ${CADDY_FILE}`, 'replace the Caddyfile'],
  ],
  run: async (call) => print(call),
};

function print(call: Call): number {
  const { args, stdout } = call;
  const notify = args.text('watch');
  const files = {
    systemd: systemdUnit,
    runner: runnerUnit,
    caddy: caddyfile,
    watch: (installation: Installation) => watchUnit(installation, call.folder, notify ?? ''),
  };
  const [wanted, ...more] = Object.entries(files).filter(([flag]) => args.flag(flag) || args.text(flag) !== undefined);
  if (more.length > 0) {
    throw new UsageError('--systemd, --runner, --caddy or --watch: each prints one file; without them all are shown.');
  }
  const installation = installationOf(call, userInfo().username);
  if (wanted?.[0] !== 'caddy') warnOfRoot(call, installation);
  if (wanted) stdout.write(wanted[1](installation));
  else printAll(call, installation);
  return 0;
}

function printAll({ print: line }: Call, installation: Installation): void {
  const { service, apps, repositories } = installation.addresses;
  line(`# DNS: *.${apps?.domain} to this server. Then these answer:`);
  line(`#   ${service}  the service`);
  line(`#   ${apps?.protocol}//<application>.<user>.${apps?.domain}${apps?.port && `:${apps.port}`}  an application`);
  line(`#   ${repositories}/<user>/<name>.git  the repositories, to push to`);
  line('');
  line(`# ${RUNNER_UNIT_FILE}`);
  line(runnerUnit(installation));
  line(`# ${UNIT_FILE}, then: sudo systemctl enable --now deployment-webhooks-runner deployment-webhooks`);
  line(systemdUnit(installation));
  line(`# ${CADDY_FILE}, then: sudo systemctl reload caddy`);
  line(caddyfile(installation).trimEnd());
}

/** Applications have the rights of the service. */
function warnOfRoot({ warn }: Call, { user }: Installation): void {
  if (user !== 'root') return;
  warn(
    'The unit runs as root, and so would all applications: make a user for it, who owns the checkout, and use --as <user>.',
  );
}

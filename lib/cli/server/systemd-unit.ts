import { delimiter, dirname } from 'node:path';
import type { Installation } from './installation.ts';

const RUNNER_UNIT = 'deployment-webhooks-runner.service';
export const UNIT_FILE = '/etc/systemd/system/deployment-webhooks.service';
export const RUNNER_UNIT_FILE = `/etc/systemd/system/${RUNNER_UNIT}`;

/** Ports below this one need a special right. */
const FIRST_FREE_PORT = 1024;

/** What differs between the two units. */
interface Unit {
  readonly description: string;
  readonly program: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly needs?: string;
  readonly service: readonly string[];
}

const LIMITS = [
  'MemoryMax=80%',
  '# Processes and threads of all: a fork bomb ends here, when the platform is not faster ("processLimits").',
  'TasksMax=8192',
];

/**
 * Returns the unit with which systemd runs the service. Its applications run in that of the runner.
 *
 * @see https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html
 */
export function systemdUnit(installation: Installation): string {
  const { port, environment } = installation;
  return unitFile(installation, {
    description: 'Deployment Webhooks',
    program: 'local',
    environment: { PORT: String(port), ...environment },
    needs: RUNNER_UNIT,
    service: [
      'Restart=on-failure',
      'RestartSec=5',
      '# The service ends its builds itself; what is left after that is killed.',
      'KillMode=mixed',
      '# The service with all builds.',
      ...LIMITS,
      ...(port < FIRST_FREE_PORT ? ['AmbientCapabilities=CAP_NET_BIND_SERVICE'] : []),
    ],
  });
}

/** Returns the unit with which systemd runs the applications, also while that of the service is started again. */
export function runnerUnit(installation: Installation): string {
  return unitFile(installation, {
    description: 'Applications of Deployment Webhooks',
    program: 'runner',
    service: [
      'Restart=always',
      'RestartSec=1',
      '# After an upgrade a runner of the new version takes over from the one that was started here.',
      '# systemd before 250 does not know this, and starts the applications again instead.',
      'ExitType=cgroup',
      '# All applications; a limit for each is "memoryLimits" in config.json.',
      ...LIMITS,
    ],
  });
}

function unitFile({ project, dataDir, node, user }: Installation, unit: Unit): string {
  const path = [dirname(node), '/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
  const PATH = [...new Set(path)].join(delimiter);
  const variables = { DATA_DIR: dataDir, PATH, RUNNER_LINGER: 'infinity', ...unit.environment };
  const needs = ['network-online.target', ...(unit.needs === undefined ? [] : [unit.needs])].join(' ');
  const lines = [
    '[Unit]',
    `Description=${unit.description}`,
    `Wants=${needs}`,
    `After=${needs}`,
    '',
    '[Service]',
    `User=${specifiers(user)}`,
    `WorkingDirectory=${specifiers(project)}`,
    ...Object.entries(variables).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    '# Installs the packages after an upgrade.',
    `ExecStartPre=${command(node, 'bin/install.mjs')}`,
    `ExecStart=${command(node, 'bin/run.mjs', unit.program)}`,
    '# An installation of packages comes before the first start.',
    'TimeoutStartSec=15min',
    'TimeoutStopSec=60',
    ...unit.service,
    'NoNewPrivileges=true',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ];
  return `${lines.join('\n')}\n`;
}

function command(...words: readonly string[]): string {
  // A dollar sign begins a variable in a command only.
  return words.map((word) => quoted(word).replaceAll('$', '$$$$')).join(' ');
}

/** https://www.freedesktop.org/software/systemd/man/latest/systemd.syntax.html#Quoting */
function quoted(word: string): string {
  const text = specifiers(word);
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}

function specifiers(text: string): string {
  return text.replaceAll('%', '%%');
}

import { delimiter, dirname } from 'node:path';
import type { Installation } from './installation.ts';

export const UNIT_FILE = '/etc/systemd/system/deployment-webhooks.service';

/** Ports below this one need a special right. */
const FIRST_FREE_PORT = 1024;

/**
 * Returns the unit with which systemd runs the service and all its applications.
 *
 * @see https://www.freedesktop.org/software/systemd/man/latest/systemd.service.html
 */
export function systemdUnit(installation: Installation): string {
  const { project, dataDir, node, user, port, environment } = installation;
  const path = [dirname(node), '/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
  const variables = { PORT: String(port), DATA_DIR: dataDir, PATH: [...new Set(path)].join(delimiter), ...environment };
  const lowPort = port < FIRST_FREE_PORT ? ['AmbientCapabilities=CAP_NET_BIND_SERVICE'] : [];
  const lines = [
    '[Unit]',
    'Description=Deployment Webhooks',
    'Wants=network-online.target',
    'After=network-online.target',
    '',
    '[Service]',
    `User=${specifiers(user)}`,
    `WorkingDirectory=${specifiers(project)}`,
    ...Object.entries(variables).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`),
    '# Installs the packages after an upgrade.',
    `ExecStartPre=${command(node, 'bin/install.mjs')}`,
    `ExecStart=${command(node, 'bin/run.mjs', 'local')}`,
    'Restart=on-failure',
    'RestartSec=5',
    '# An installation of packages comes before the first start.',
    'TimeoutStartSec=15min',
    '# The service ends its applications itself; what is left after that is killed.',
    'KillMode=mixed',
    'TimeoutStopSec=60',
    '# The service with all applications; a limit for each is "memoryLimits" in config.json.',
    'MemoryMax=80%',
    '# Processes and threads of all: a fork bomb ends here, when the platform is not faster ("processLimits").',
    'TasksMax=8192',
    'NoNewPrivileges=true',
    ...lowPort,
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

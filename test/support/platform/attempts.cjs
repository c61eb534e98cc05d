// What an application or an install script tries against the service and other applications. Each attempt returns whether it
// has reached what it must not, and changes nothing for longer than that. `targets.json` beside this file says where that is on the machine.
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const { connect } = require('node:net');
const { dirname, join } = require('node:path');

const at = JSON.parse(fs.readFileSync(join(__dirname, 'targets.json'), 'utf8'));

const reads = (path) => () => fs.readFileSync(path).length > 0;
const lists = (path) => () => fs.readdirSync(path).length > 0;
const writes = (folder) => () => {
  const planted = join(folder, `planted-${process.pid}`);
  fs.writeFileSync(planted, '', { flag: 'wx' });
  fs.rmSync(planted);
  return true;
};
const replaces = (file) => () => fs.closeSync(fs.openSync(file, 'r+')) === undefined;
const runs =
  (...command) =>
  () =>
    execFileSync(command[0], command.slice(1), { stdio: 'pipe' }).length >= 0;
const numbers = () => fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
/** Whether a file of any process in /proc has a text. */
const anyHas = (name, text) => () =>
  numbers().some((pid) => Number(pid) !== process.pid && textOf(`/proc/${pid}/${name}`).includes(text));
const textOf = (path) => {
  try {
    return fs.readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};
const calls = (socket) => () =>
  new Promise((resolve) => connect(socket, () => resolve(true)).on('error', () => resolve(false)));
/** An id may be one of the sandbox too. */
const signals = (pid) => () => !numbers().includes(String(pid)) && process.kill(pid, 0);

const madeIn = (folder) => {
  const made = join(folder, `planted-${process.pid}`);
  fs.mkdirSync(made);
  return made;
};

const attempts = {
  'read the database of the service': reads(join(at.service, 'service.db')),
  'read its key': reads(join(at.service, 'token.key')),
  'read a password': reads(join(at.service, 'password')),
  'read the login for git': reads(join(at.service, 'netrc')),
  'read its configuration': reads(join(at.service, 'config.json')),
  'write its configuration': replaces(join(at.service, 'config.json')),
  'list the applications': () => fs.readdirSync(join(at.platform, 'apps/ada')).includes('other'),
  'read a file of another release': reads(join(at.other, 'releases/1/server.js')),
  'write into another release': writes(join(at.other, 'releases/1')),
  'read the data of another application': reads(join(at.other, 'data/kept')),
  'write into the data of another application': writes(join(at.other, 'data')),
  'read the log of another application': reads(join(at.other, 'app.log')),
  'list the homes of another application': lists(join(at.other, 'homes')),
  'write into an older release of its own': writes(join(at.own, 'releases/1')),
  'list the tarballs of its own': lists(join(at.own, 'snapshots')),
  'read the caches of another user': lists(join(at.platform, 'user-caches/bob')),
  'write into the caches of another user': writes(join(at.platform, 'user-caches/bob')),
  'write into the packages of the service': writes(join(at.project, 'node_modules')),
  'write into the code that runs in every application': replaces(
    join(at.project, 'lib/builder/process/module-guard.cjs'),
  ),
  'read the settings of npm of the operator': reads(join(at.home, '.npmrc')),
  'read the key of the operator': reads(join(at.home, '.ssh/id_ed25519')),
  'read the passwords of the machine': reads('/etc/shadow'),
  'list the private keys of the machine': lists('/etc/ssl/private'),
  'read the timers of the kernel': reads('/proc/timer_list'),
  'read the keys of the user': () => textOf('/proc/keys') + textOf('/proc/key-users') !== '',
  // keyctl, for the number of the session's keyring; Node has no call for it.
  'use the keys of the session': runs(
    'perl',
    '-e',
    `exit syscall(${process.arch === 'arm64' ? 219 : 250}, 0, -3, 0) < 0`,
  ),
  'make a file among the devices': writes('/dev'),
  'have more than 64 MB of shared memory': () => {
    const file = '/dev/shm/large';
    try {
      fs.writeFileSync(file, Buffer.alloc(65 * 1024 * 1024));
      return true;
    } finally {
      fs.rmSync(file, { force: true });
    }
  },
  'write into the programs of the machine': writes('/usr/local/bin'),
  'change a setting of the kernel': replaces('/proc/sys/kernel/core_pattern'),
  'read a temporary file of the machine': reads(at.temporary),
  'read variables of another process': anyHas('environ', at.secret),
  'see the command line of the service': anyHas('cmdline', at.marker),
  'look into the files of the service by its process': lists(`/proc/${at.pid}/root${at.service}`),
  'read the memory of the service': () => fs.openSync(`/proc/${at.pid}/mem`, 'r') > 0 && signals(at.pid)() !== false,
  'signal the service': signals(at.pid),
  'signal another application': signals(at.otherPid),
  'call the runner by its socket': calls(join(at.platform, 'runner.sock')),
  'call the service by its socket': calls(join(at.platform, 'api.sock')),
  'call the repositories by their socket': calls(join(at.platform, 'repositories.sock')),
  'call the containers of the machine': calls('/run/docker.sock'),
  'call the services of the machine': calls('/run/dbus/system_bus_socket'),
  'list the folder of the service': () => fs.readdirSync(at.service).includes('service.db'),
  'list the repositories': lists(join(at.service, 'repositories')),
  'list the programs that are fetched, for writing': writes(join(at.platform, 'tools')),
  'read which processes run': reads(join(at.platform, 'runner-groups.json')),
  'make a release of its own': writes(join(at.own, 'releases')),
  'write beside its own releases': writes(at.own),
  'write beside the applications': writes(join(at.platform, 'apps/ada')),
  'write into the folder of the service': writes(at.service),
  'write into the home of the operator': writes(at.home),
  'list the home of the operator': lists(at.home),
  'replace Node': replaces(process.execPath),
  'write beside Node': writes(dirname(process.execPath)),
  'replace the shell of scripts': replaces(join(at.project, 'lib/builder/process/script-shell.sh')),
  'read the shadows of groups': reads('/etc/gshadow'),
  'read who may be root': reads('/etc/sudoers'),
  'list the keys of the machine for SSH': lists('/etc/ssh'),
  'write into the configuration of the machine': writes('/etc'),
  'list the logs of the machine': lists('/var/log'),
  'list the tables of cron': lists('/var/spool/cron'),
  'write at the root': writes('/'),
  'make a group of processes of the machine': () => fs.rmdirSync(madeIn('/sys/fs/cgroup')) === undefined,
  'list what debugs the kernel': lists('/sys/kernel/debug'),
  'ask the kernel to act': replaces('/proc/sysrq-trigger'),
  'read the memory of the kernel': reads('/proc/kcore'),
  'read the variables of another application': () => textOf(`/proc/${at.otherPid}/environ`).includes(at.secret),
  'look into the files of another application by its process': lists(`/proc/${at.otherPid}/root${at.other}`),
  'become another user': runs('setpriv', '--reuid', '65534', '--clear-groups', 'true'),
  'change its root': runs('chroot', '/', '/bin/true'),
  'rename the machine': runs('hostname', 'renamed'),
  'make a device': runs('mknod', join(__dirname, 'device'), 'b', '7', '0'),
  'mount a file system': () => {
    const folder = join(__dirname, 'mounted');
    fs.mkdirSync(folder);
    execFileSync('mount', ['-t', 'tmpfs', 'none', folder], { stdio: 'pipe' });
    execFileSync('umount', [folder]);
    return true;
  },
  'unshare namespaces again': runs('unshare', '--user', '--map-root-user', 'true'),
  'have a capability': () => !/^CapEff:\s+0+$/m.test(fs.readFileSync('/proc/self/status', 'latin1')),
  'get rights by a set-uid program': () => !/^NoNewPrivs:\s+1$/m.test(fs.readFileSync('/proc/self/status', 'latin1')),
  'see devices of the machine': () =>
    fs.readdirSync('/dev').some((name) => /^(?:[svh]d[a-z]|loop|mem|kmsg|nvme)/.test(name)),
};

/** What was reached. */
exports.reached = async () => {
  const found = [];
  for (const [what, attempt] of Object.entries(attempts)) {
    try {
      if (await attempt()) found.push(what);
    } catch {
      // It is not there, or refused.
    }
  }
  return { tried: Object.keys(attempts).length, found };
};

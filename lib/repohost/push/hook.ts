import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundledCopy } from '../../bundle/bundle.mjs';
import { replaceFileSync } from '../../files/atomic-file.ts';
import { shellQuote } from '../../process/command.ts';
import { LIFELINE_VARIABLE } from '../git/smart-http.ts';
import { CUT, NOT_RUNNING, OPTION, TAKEN } from './report.ts';

const MARK = '# Written by the repository host of this machine at each of its starts.';
const PROGRAM = fileURLToPath(new URL('post-receive.ts', import.meta.url));

/**
 * Writes the program of the hooks as one file, so that it starts fast and does not depend on this project's folder or on
 * what reads TypeScript. The file is replaced in one step: a push may run it meanwhile.
 */
export async function bundleProgram(file: string): Promise<void> {
  await bundledCopy({ entry: PROGRAM, outfile: file });
}

/** Whether a file is a hook that this host has written. A hook of a user stays until the next start; its repository deploys nothing. */
export function isOwnHook(file: string): boolean {
  return readFileSync(file, 'utf8').includes(MARK);
}

/**
 * Gives the refs of a push over HTTP to the host, which runs this hook and does the rest without a further process. If the
 * host does not say that it has taken them, it was killed.
 */
const HAND_OVER = [
  `if [ "\${${LIFELINE_VARIABLE}:-}" = 3 ]; then`,
  "  trap '' PIPE TERM",
  '  option=0',
  "  newline='\n'",
  '  {',
  '    cat',
  `    while [ "$option" -lt "\${GIT_PUSH_OPTION_COUNT:-0}" ]; do`,
  '      eval "value=\\$GIT_PUSH_OPTION_$option"',
  `      case "$value" in *"$newline"*) value="\${value%%"$newline"*}${CUT}" ;; esac`,
  `      printf '%s\\n' "${OPTION}$value"`,
  '      option=$((option + 1))',
  '    done',
  '    echo',
  '  } >&3 2>/dev/null',
  `  if read -r answer <&3 && [ "$answer" = ${TAKEN} ]; then exec cat <&3; fi`,
  `  echo ${shellQuote(NOT_RUNNING)}`,
  '  exit 0',
  'fi',
];

/**
 * Installs the post-receive hook in a bare repository. It holds the absolute path of node, which may not be on git's
 * PATH; each start of the host rewrites it. The NODE_OPTIONS of the user who pushes do not apply to the hook.
 */
export function installHook(repository: string, program: string, dataDir: string): void {
  const node = shellQuote(process.execPath);
  const script = [
    '#!/bin/sh',
    MARK,
    ...HAND_OVER,
    'unset NODE_OPTIONS',
    `if [ ! -x ${node} ] || [ ! -f ${shellQuote(program)} ]; then`,
    "  echo 'The deploy could not be requested: node has moved. Run npm start once, then push again.'",
    '  exit 0',
    'fi',
    `exec ${node} ${shellQuote(program)} ${shellQuote(dataDir)}`,
    '',
  ].join('\n');
  const hooks = join(repository, 'hooks');
  mkdirSync(hooks, { recursive: true });
  // In one step as well: a hook that is being written cannot be run (ETXTBSY), or runs in part.
  replaceFileSync(join(hooks, 'post-receive'), script, { executable: true });
}

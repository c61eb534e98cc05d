/** Programs that start a server again, or build again, after each change of a file. */
const WATCHERS =
  /^(?:nodemon|ts-node-dev|node-dev|tsx watch|node .*--watch|(?:rollup|webpack|tsc|tsup|esbuild|babel|swc|sass) .*(?:-w|--watch))\b/;
/** Servers of bundlers for the sources of a site, which their builds leave in a folder. */
const SITE_SERVERS =
  /^(?:webpack serve|webpack-dev-server|parcel(?! (?:build|watch|help)\b)|rspack (?:serve|dev)|rsbuild(?: dev)?(?=$| -)|vue-cli-service serve|ember (?:serve|server|s))(?=$| )/;
const MOST_SCRIPTS = 4;

/** Whether a command is for development, where it is not one of the framework. */
export function isWatcher(command: string): boolean {
  return WATCHERS.test(command) || isSiteServer(command);
}

/** Whether a command serves the sources of a site, in whose place its build can be served. */
export function isSiteServer(command: string): boolean {
  return SITE_SERVERS.test(command);
}

/**
 * Returns the command that a script runs in the end, without what comes before it: `npm run dev` is the script `dev`,
 * and `cross-env PORT=1 npx vite --host` is `vite --host`.
 */
export function commandOf(script: string, scripts: Readonly<Record<string, string>>): string {
  let text = script;
  for (let depth = 0; depth < MOST_SCRIPTS; depth += 1) {
    text = withoutWrappers(text.split('&&').at(-1) ?? '');
    const [, name] = /^(?:npm|pnpm|yarn)(?: run| run-script)? ([\w:.-]+)/.exec(text) ?? [];
    const next = name !== undefined && Object.hasOwn(scripts, name) ? scripts[name] : undefined;
    if (next === undefined) return text;
    text = next;
  }
  return text;
}

const READS_PORT = 'let it listen on process.env.PORT';
const TAKES_PORT = 'give it the port in the variable PORT, and the address in HOST (127.0.0.1)';
/** Programs that run files of the application, which can read PORT; those of a package have an option for the port. */
const RUNS_FILES =
  /^(?:node|nodemon|tsx|ts-node[\w-]*|babel-node|deno|bun|npm|pnpm|yarn|npm-run-all2?|run-[ps]|concurrently|pm2(?:-\w+)?|sh|bash|python[\d.]*|ruby|php|java)$|\//;
/** Programs with the option that names their port, by their own documents. */
const PORT_OPTIONS = new Map([
  ['fastify', '--port $PORT'],
  ['http-server', '--port $PORT'],
  ['json-server', '--port $PORT'],
  ['micro', '--listen tcp://$HOST:$PORT'],
  ['serve', '--listen tcp://$HOST:$PORT'],
  ['vite', '--port $PORT'],
]);
const MOST_COMMAND = 120;

/** Returns what the author of a command can do that listens on this port in place of PORT. */
export function portRemedy(port: number, command: string, scripts: Readonly<Record<string, string>>): string {
  const last = commandOf(command, scripts);
  const [program = ''] = last.split(' ');
  if (RUNS_FILES.test(program)) return READS_PORT;
  const whole = command.includes('&&') ? command : last;
  const isAtEnd = whole.split('&&').at(-1)?.trim() === last;
  const named = whole.replace(/\d+/g, (digits) => (Number(digits) === port ? '$PORT' : digits));
  const option = PORT_OPTIONS.get(program);
  const told = named === whole ? option && `${whole} ${option}` : named;
  if (told === undefined || !isAtEnd || whole.length > MOST_COMMAND || whole.includes("'")) return TAKES_PORT;
  return `${TAKES_PORT}, such as by "hooks set start='${told}'"`;
}

/** Programs of other languages, of which AWS Lambda has none beside its Node. */
const OTHERS =
  /^(?:\S*\/)?(?:python[\d.]*|pip3?|gunicorn|uvicorn|flask|ruby|bundle|rails|puma|rackup|go|php|java|deno|bun|dotnet|cargo|perl|elixir|mix)$/;

/** Returns the program of another language that a command runs in the end; undefined for any other one. */
export function otherLanguage(command: string, scripts: Readonly<Record<string, string>>): string | undefined {
  const [program = ''] = commandOf(command, scripts).split(' ');
  return OTHERS.test(program) ? program : undefined;
}

/** Removes variables, and programs that run another one. */
function withoutWrappers(text: string): string {
  const words = text.trim().split(/\s+/);
  while (words[0] !== undefined && /^(?:\w+=.*|cross-env|cross-env-shell|exec|npx|bunx|dotenv|--)$/.test(words[0])) {
    words.shift();
  }
  if (/^(?:pnpm|yarn|npm)$/.test(words[0] ?? '') && /^(?:exec|dlx)$/.test(words[1] ?? '')) words.splice(0, 2);
  return words.join(' ').replace(/^(?:\.\/)?node_modules\/\.bin\//, '');
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'dev-typescript';
import { describe, expect, it } from 'vitest';

const project = fileURLToPath(new URL('../..', import.meta.url));

interface Import {
  /** Path from the root of the project, for a file of ours; else the name of the package. */
  readonly of: string;
  /** Whether only types are taken, so that nothing of it is loaded. */
  readonly typeOnly: boolean;
}

/** The sources below a folder, as paths from the root of the project. */
function sources(folder: string): string[] {
  return readdirSync(join(project, folder), { withFileTypes: true, recursive: true })
    .filter((file) => file.isFile() && /\.(?:tsx?|mjs)$/.test(file.name))
    .map((file) => posix.join(file.parentPath.slice(project.length), file.name))
    .sort();
}

function textOf(path: string): string {
  return readFileSync(join(project, path), 'utf8');
}

const read = new Map<string, readonly Import[]>();

/** What a file imports, statically or when first needed. */
function importsOf(path: string): readonly Import[] {
  const known = read.get(path) ?? readImports(path);
  read.set(path, known);
  return known;
}

function readImports(path: string): readonly Import[] {
  const found: Import[] = [];
  const add = (specifier: ts.Node | undefined, typeOnly: boolean) => {
    if (!specifier || !ts.isStringLiteral(specifier)) return;
    const { text } = specifier;
    found.push({ of: text.startsWith('.') ? posix.join(dirname(path), text) : text, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) add(node.moduleSpecifier, node.importClause?.isTypeOnly === true);
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, textOf(path), ts.ScriptTarget.Latest));
  return found;
}

interface Rule {
  readonly title: string;
  readonly files: (path: string) => boolean;
  /** What may be imported by these files. */
  readonly allowed: (target: string, importer: string) => boolean;
  /** What may be imported besides, as types. */
  readonly allowedTypes?: (target: string) => boolean;
}

const isIn = (folder: string) => (path: string) => path.startsWith(`${folder}/`);
const isOneOf =
  (...names: readonly string[]) =>
  (name: string) =>
    names.includes(name);
/** The folder of a function or of a role: `functions/stage-fetch`, `functions/adapters/hosts`. */
const role = (path: string, depth: number): string => path.split('/').slice(0, depth).join('/');

const isCore = isIn('functions/core');
const isApi = isIn('functions/api');
/** The schemas of what the API answers. */
const isShape = isIn('functions/api/shapes');
const isTrigger = isIn('functions/triggers');
const isAdapter = isIn('functions/adapters');
const isPage = isIn('lib/page');
const isClient = isIn('lib/client');
const isPageModel = isIn('lib/page/model');
const isPageView = isIn('lib/page/view');
/** What the views are made of. */
const isPagePart = isIn('lib/page/view/parts');
/** Of the functions, what knows nothing of deploys. */
const PLAIN = [
  ...['basic-auth', 'concurrency', 'json-value', 'lines', 'places', 'secrets'].map(
    (name) => `functions/core/${name}.ts`,
  ),
  'functions/adapters/system/within.ts',
];
/** What the programs of one machine are built on, each on those before it. */
const FOUNDATION = ['lib/files', 'lib/process', 'lib/http'];
const isFoundation = (path: string) => PLAIN.includes(path) || FOUNDATION.some((room) => isIn(room)(path));
/** Folders beside those of the functions. */
const NO_FUNCTIONS = ['core', 'api', 'adapters', 'triggers', 'aws'];
/** The work of a function. */
const isVerb = (path: string) =>
  isIn('functions')(path) && !NO_FUNCTIONS.some((room) => isIn(`functions/${room}`)(path));
/** What makes the functions on AWS. */
const isComposition = isIn('functions/aws');
const isAws = isIn('functions/adapters/aws');
/** What AWS has where, and how much of it: data alone. */
const isAwsTable = isOneOf('functions/adapters/aws/regions.ts', 'functions/adapters/aws/quotas.ts');
/** The table of platforms, and what makes each of them from the environment. */
const connectsPlatform = (path: string) =>
  /^functions\/adapters\/platform\/(?:platforms|[\w-]+\/platform)\.ts$/.test(path);
const isNode = (name: string) => name.startsWith('node:');
const isCdk = (name: string) => /^(?:aws-cdk-lib|constructs|cdk-nag)(?:\/|$)/.test(name);
const isStyle = (path: string) => path.endsWith('.css') && existsSync(join(project, path));
const isPackage = (name: string) => !/^(?:functions|lib|bin|test)\//.test(name);

/** The name of the package that a specifier names a file of: `@smithy/core` of `@smithy/core/schema`. */
const packageName = (specifier: string) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');

/** The folder of lib behind each command. */
const COMMANDS: Readonly<Record<string, string>> = {
  'hooks.ts': 'cli',
  'local.ts': 'local',
  'runner.ts': 'local',
  'service.ts': 'stack',
};
/** The folders of lib that a part of `npm start` starts. */
const STARTED: Readonly<Record<string, readonly string[]>> = {
  'lib/local/programs/platform.ts': ['platform', 'runner', 'builder'],
  'lib/local/programs/runner.ts': ['runner'],
  'lib/local/disk/disk.ts': ['platform'],
  'lib/local/programs/repositories.ts': ['repohost'],
};
/** What the files of bin in plain JavaScript import: one installs the packages before it loads the command. */
const BEFORE_TYPESCRIPT: Readonly<Record<string, readonly string[]>> = {
  'bin/hooks.mjs': ['bin/install.mjs', 'bin/run.mjs'],
  'bin/run.mjs': ['lib/bundle/bundle.mjs'],
  'bin/typescript.mjs': ['tsx'],
};

/** Modules of Node that touch nothing outside the process. */
const COMPUTING = ['node:stream', 'node:crypto', 'node:zlib', 'node:path', 'node:url', 'node:util'];

/** The settings of applications, as all programs read them. */
const SETTINGS = 'functions/core/apps/settings.ts';
const PASSWORDS = ['functions/core/secrets.ts', 'functions/core/users/passwords.ts'];

/** What the platform of one machine keeps its records in. */
const TABLES = 'functions/adapters/stores/sqlite/tables.ts';

const rules: readonly Rule[] = [
  {
    title: 'The core imports the core, and of Node and npm what computes without touching anything',
    files: isCore,
    allowed: (target) =>
      isCore(target) ||
      isOneOf(...COMPUTING, 'validate-npm-package-name', 'valibot')(target) ||
      target.startsWith('semver/') ||
      // The version is that of the package: `x-api-version` cannot differ from it.
      target === 'package.json',
  },
  {
    title:
      'The work of a function imports the core, its own folder and what all endpoints have; of the triggers the types; the documents, and what reads a command, the shapes',
    files: isVerb,
    allowed: (target, importer) =>
      isCore(target) ||
      (isVerb(target) && role(target, 2) === role(importer, 2)) ||
      (isApi(target) && !isShape(target)) ||
      // It computes without touching anything: a digest.
      target === 'node:crypto' ||
      ((isIn('functions/api-documents')(importer) || importer === 'functions/api-apps/platform.ts') &&
        (isShape(target) || isOneOf('valibot', '@valibot/to-json-schema')(target))),
    allowedTypes: (target) => isShape(target) || isTrigger(target) || target === 'valibot',
  },
  {
    title: 'What makes the functions on AWS imports their work, the adapters, the core and the triggers',
    files: isComposition,
    allowed: (target) => [isComposition, isVerb, isTrigger, isAdapter, isCore].some((is) => is(target)),
  },
  {
    title: 'What is the same about requests and answers on AWS and in the engine imports the core',
    files: isApi,
    allowed: (target, importer) => isCore(target) || isApi(target) || (isShape(importer) && target === 'valibot'),
  },
  {
    title:
      'A trigger knows the core, the API, middy, the shapes of Lambda and limits of time; the form of a message is the queue’s own',
    files: isTrigger,
    allowed: (target) =>
      isCore(target) ||
      isApi(target) ||
      isTrigger(target) ||
      isIn('functions/adapters/queues')(target) ||
      isOneOf('functions/adapters/system/limited-work.ts', 'functions/adapters/system/within.ts')(target) ||
      isOneOf('@middy/core', 'node:crypto', 'node:stream', 'node:zlib')(target),
    allowedTypes: (target) => target === 'aws-lambda',
  },
  {
    title:
      'An adapter imports the core, its own role, packages and the clients of AWS: roles never import each other; that of AWS Lambda what makes a release without a build, and when cron is due',
    files: isAdapter,
    allowed: (target, importer) =>
      (isIn('functions/adapters/platform/aws-lambda/build')(importer) &&
        target === 'lib/builder/lambda/pack-release.ts') ||
      (isIn('functions/adapters/platform/aws-lambda/jobs')(importer) && target === 'lib/builder/start/cron.ts') ||
      isCore(target) ||
      role(target, 3) === role(importer, 3) ||
      isAws(target) ||
      isPackage(target),
  },
  {
    title:
      'The page imports itself, the client, preact and the table of settings: it knows the service by its API. Its model computes without preact, its service knows no view, and the parts of views no other view',
    files: isPage,
    allowed: (target, importer) =>
      isClient(target) ||
      isOneOf(SETTINGS, 'functions/core/json-value.ts')(target) ||
      ((isPageModel(importer) ? isPageModel(target) : isPage(target) || isOneOf('preact', 'preact/hooks')(target)) &&
        !(isPageView(target) && isIn('lib/page/service')(importer)) &&
        !(isPageView(target) && isPagePart(importer) && !isPagePart(target))),
    allowedTypes: isShape,
  },
  {
    title:
      'The stack imports CDK, itself, the names of the platforms and of the regions of AWS, and what is data of the core and the API',
    files: isIn('lib/stack'),
    allowed: (target) =>
      isIn('lib/stack')(target) ||
      isCdk(target) ||
      isIn('lib/bundle')(target) ||
      target === 'esbuild' ||
      isNode(target) ||
      target === 'functions/adapters/platform/platforms.ts' ||
      isAwsTable(target) ||
      /^functions\/(?:core\/(?:pipeline\/pipeline|errors|version)|api\/(?:refusals|routes))\.ts$/.test(target),
    allowedTypes: (target) => target === 'functions/api/endpoints/endpoints.ts',
  },
  {
    title: 'What is shown in a terminal imports the client of the API and nothing else of the project',
    files: isIn('lib/terminal'),
    allowed: (target) => isIn('lib/terminal')(target) || isClient(target) || isNode(target),
  },
  {
    title:
      'The client of the API runs in browsers too: it imports itself, the statuses, kinds and providers of entries and the types of the API',
    files: isClient,
    allowed: (target) =>
      isClient(target) ||
      isOneOf(
        ...[
          'entry/entry',
          'entry/kinds',
          'entry/providers',
          'pipeline/pipeline',
          'concurrency',
          'json-value',
          'lines',
        ].map((name) => `functions/core/${name}.ts`),
      )(target),
    allowedTypes: isShape,
  },
  {
    title:
      'lib/http imports lib/process and lib/files, lib/process imports lib/files, all of them what knows nothing of deploys, and no program',
    files: (path) => FOUNDATION.some((room) => isIn(room)(path)),
    allowed: (target, importer) =>
      FOUNDATION.slice(0, FOUNDATION.findIndex((room) => isIn(room)(importer)) + 1).some((room) =>
        isIn(room)(target),
      ) ||
      PLAIN.includes(target) ||
      (isPackage(target) && !isCdk(target)),
  },
  {
    title:
      'lib/builder imports lib/process, lib/http, lib/files, packages, what opens the variables of a build on AWS, and of the core what all platforms must read alike: archives, manifests, names, settings, passwords and output',
    files: isIn('lib/builder'),
    allowed: (target, importer) =>
      isIn('lib/builder')(target) ||
      (importer === 'lib/builder/lambda/build-program.ts' &&
        target === 'functions/adapters/platform/aws-lambda/run/sealed-variables.ts') ||
      isFoundation(target) ||
      ['tarball', 'output'].some((folder) => isIn(`functions/core/${folder}`)(target)) ||
      isOneOf('functions/core/errors.ts', 'functions/core/json.ts', 'functions/core/text.ts')(target) ||
      isOneOf(SETTINGS, 'functions/core/entry/manifest.ts')(target) ||
      (isPackage(target) && !isCdk(target)),
  },
  {
    title:
      'lib/platform imports lib/runner, lib/builder, lib/process, lib/http, lib/files, packages, the shapes of the API, and of the core what all platforms must read alike: archives, manifests, names, settings, passwords and output',
    files: isIn('lib/platform'),
    allowed: (target) =>
      isIn('lib/platform')(target) ||
      isIn('lib/runner')(target) ||
      isIn('lib/builder')(target) ||
      isFoundation(target) ||
      isIn('lib/bundle')(target) ||
      ['core/tarball', 'core/output', 'api/shapes'].some((folder) => isIn(`functions/${folder}`)(target)) ||
      isOneOf('functions/core/errors.ts', 'functions/core/json.ts', 'functions/core/text.ts', ...PASSWORDS)(target) ||
      ['manifest', 'package-name', 'snapshot'].some((name) => target === `functions/core/entry/${name}.ts`) ||
      isOneOf(SETTINGS, 'functions/core/apps/domain-name.ts', 'functions/core/ports/app-event.ts')(target) ||
      (isPackage(target) && !isCdk(target)),
    allowedTypes: (target) => isIn('functions/core/ports')(target) || target === TABLES,
  },
  {
    title:
      'lib/runner imports lib/builder, lib/process, lib/http, lib/files, packages, and of the core the output of processes and the check of passwords; of its ports the types. It is told, and reads no record',
    files: isIn('lib/runner'),
    allowed: (target) =>
      ['lib/runner', 'lib/builder', 'lib/bundle', 'functions/core/output'].some((folder) => isIn(folder)(target)) ||
      isOneOf(...PASSWORDS, 'functions/core/basic-auth.ts')(target) ||
      isFoundation(target) ||
      (isPackage(target) && !isCdk(target)),
    allowedTypes: isIn('functions/core/ports'),
  },
  {
    title:
      'lib/repohost imports lib/process, lib/http, lib/files, lib/terminal, lib/bundle, packages and what an adapter of hosts does, and no other program',
    files: isIn('lib/repohost'),
    allowed: (target) =>
      ['repohost', 'terminal', 'bundle'].some((folder) => isIn(`lib/${folder}`)(target)) ||
      isFoundation(target) ||
      isOneOf('functions/core/errors.ts', 'functions/core/payload/delivery.ts')(target) ||
      target === 'functions/adapters/hosts/coordinates.ts' ||
      (isPackage(target) && !isCdk(target)),
    allowedTypes: isCore,
  },
  {
    title: 'The emulators import lib/process, lib/http, lib/files and packages, and no program',
    files: isIn('test/aws-local'),
    allowed: (target) =>
      isIn('test/aws-local')(target) || isFoundation(target) || (isPackage(target) && !isCdk(target)),
  },
  {
    title: 'The engine calls the work of the functions with adapters that need no account, and no program beside it',
    files: isIn('lib/engine'),
    allowed: (target) =>
      isIn('lib/engine')(target) ||
      isFoundation(target) ||
      isCore(target) ||
      isApi(target) ||
      isVerb(target) ||
      (isAdapter(target) && !isAws(target) && !/\/(?:dynamodb|aws-lambda|kms|s3|sqs)\b/.test(target)) ||
      isNode(target) ||
      isOneOf('ws', 'valibot')(target),
  },
  {
    title: 'Bundles are made by esbuild alone',
    files: isIn('lib/bundle'),
    allowed: (target) => isIn('lib/bundle')(target) || isNode(target) || target === 'esbuild',
  },
  {
    title: 'Only lib/local/start.ts imports more than one program',
    files: (path) => path === 'lib/local/start.ts',
    allowed: (target) =>
      ['local', 'engine', 'bundle', 'platform', 'repohost'].some((folder) => isIn(`lib/${folder}`)(target)) ||
      isFoundation(target) ||
      (isPackage(target) && !isCdk(target)),
  },
  {
    title:
      'The rest of lib/local imports lib/local, lib/client, lib/process, lib/http, lib/files, lib/terminal, packages and the errors of the core; of the engine its types; what starts a program, that one',
    files: (path) => isIn('lib/local')(path) && path !== 'lib/local/start.ts',
    allowed: (target, importer) =>
      ['local', 'client', 'terminal', ...(STARTED[importer] ?? [])].some((folder) => isIn(`lib/${folder}`)(target)) ||
      isFoundation(target) ||
      isOneOf('functions/adapters/system/clock.ts', 'functions/core/errors.ts', TABLES)(target) ||
      (isPackage(target) && !isCdk(target)),
    allowedTypes: isIn('lib/engine'),
  },
  {
    title: 'A command in bin imports one folder of lib, lib/process, lib/http, lib/files and lib/terminal',
    files: isIn('bin'),
    allowed: (target, importer) =>
      isNode(target) ||
      BEFORE_TYPESCRIPT[importer]?.includes(target) ||
      isFoundation(target) ||
      ['terminal', COMMANDS[importer.slice('bin/'.length)]].some((folder) => isIn(`lib/${folder}`)(target)),
  },
  {
    title:
      'The command line imports itself, packages, lib/client, lib/process, lib/http, lib/files, lib/terminal, lib/local/config, backup and disk, the shapes of the API, the table of settings, the registry of senders, the parameters of the stack and the regions and quotas of AWS; of core and senders it knows the types',
    files: isIn('lib/cli'),
    allowed: (target) =>
      ['cli', 'client', 'terminal', 'local/config', 'local/backup', 'local/disk'].some((folder) =>
        isIn(`lib/${folder}`)(target),
      ) ||
      isFoundation(target) ||
      (isPackage(target) && !isCdk(target)) ||
      isShape(target) ||
      isAwsTable(target) ||
      isOneOf(SETTINGS, 'functions/adapters/senders/registry.ts', 'lib/stack/parameter-table.ts')(target),
    allowedTypes: (target) => isCore(target) || isIn('functions/adapters/senders')(target),
  },
];

const all = ['functions', 'lib', 'bin', 'test/aws-local'].flatMap(sources);

/** The programs that the repository host and the platform start. */
const HOOKS = [
  'lib/repohost/push/post-receive.ts',
  'lib/platform/build/unpack-program.ts',
  'lib/runner/program/program.ts',
];

/** A file and all that it loads of the project, then or when it is needed. */
function loadedBy(path: string, found: Set<string>): string[] {
  if (found.has(path) || !existsSync(join(project, path))) return [];
  found.add(path);
  const targets = importsOf(path).filter(
    ({ of, typeOnly }) => !typeOnly && /\.(?:tsx?|mjs)$/.test(of) && !isPackage(of),
  );
  return [path, ...targets.flatMap(({ of }) => loadedBy(of, found))];
}

/** Returns the circles of imports among these sources, each once. */
function circlesIn(paths: readonly string[]): string[] {
  const left = new Set(paths);
  const circles: string[] = [];
  const visit = (path: string, way: readonly string[]) => {
    const at = way.indexOf(path);
    if (at >= 0) circles.push([...way.slice(at), path].join(' → '));
    if (at >= 0 || !left.has(path)) return;
    for (const { of } of importsOf(path)) visit(of, [...way, path]);
    left.delete(path);
  };
  for (const path of paths) visit(path, []);
  return circles;
}

function functionFolders(): string[] {
  return readdirSync(join(project, 'functions'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !NO_FUNCTIONS.includes(entry.name))
    .map(({ name }) => name)
    .sort();
}

describe('what imports what', () => {
  it.each(rules)('$title', ({ files, allowed, allowedTypes = () => false }) => {
    const broken = all.filter(files).flatMap((path) =>
      importsOf(path)
        .filter((one) => !allowed(one.of, path) && !(one.typeOnly && allowedTypes(one.of)))
        .map((one) => `${path} imports ${one.of}`),
    );
    expect(broken).toEqual([]);
  });

  it('These rules see imports of all kinds: of values, of types, and those that wait until they are needed', () => {
    expect(importsOf('functions/adapters/signals/post-to-connection.ts')).toEqual(
      expect.arrayContaining([
        { of: 'functions/core/ports/signals.ts', typeOnly: true },
        { of: '@aws-sdk/client-apigatewaymanagementapi', typeOnly: false },
      ]),
    );
    expect(importsOf('functions/adapters/aws/secrets.ts')).toContainEqual({
      of: '@aws-sdk/client-secrets-manager',
      typeOnly: false,
    });
  });

  it('Every source of functions/, lib/ and the emulators stands under exactly one of these rules', () => {
    const counted = all
      .filter((path) => !isIn('bin')(path))
      .map((path) => [path, rules.filter(({ files }) => files(path)).length]);
    expect(counted.filter(([, count]) => count !== 1)).toEqual([]);
  });

  it('Whatever a program loads is a dependency, but for AWS: `npm start` installs no development dependencies', () => {
    const { dependencies } = JSON.parse(textOf('package.json'));
    const missing = ['bin/local.ts', 'bin/hooks.ts', 'bin/runner.ts', ...HOOKS]
      .flatMap((program) => loadedBy(program, new Set()))
      .flatMap((path) => importsOf(path).map(({ of, typeOnly }) => ({ path, of, typeOnly })))
      .filter(({ of, typeOnly }) => !typeOnly && isPackage(of) && !isNode(of) && of !== 'package.json')
      .filter(({ path, of }) => !(packageName(of) in dependencies) && !isIn('lib/cli/aws')(path))
      .map(({ path, of }) => `${path} imports ${of}`);
    expect(missing).toEqual([]);
  });

  it('`npm start` loads nothing of the stack, of AWS, of the emulators or of the tests', () => {
    const loaded = loadedBy('bin/local.ts', new Set());
    expect(loaded.length).toBeGreaterThan(100);
    const foreign = /^(?:lib\/(?:stack|cli)|test|functions\/adapters\/aws|functions\/triggers)\b/;
    expect(loaded.filter((path) => foreign.test(path))).toEqual([]);
    const packages = loaded.flatMap((path) => importsOf(path).flatMap((one) => (one.typeOnly ? [] : [one.of])));
    expect(packages.filter((name) => /^(?:@aws-sdk|@smithy|@middy|aws-cdk|cdk-nag|tsx)/.test(name))).toEqual([]);
  });

  it('No source imports itself by way of others, also for types alone', () => {
    expect(circlesIn(all.filter((path) => /^(?:functions|lib|bin)\//.test(path)))).toEqual([]);
  });

  it('What one imports of the project has an extension and exists', () => {
    const known = new Set([...all, 'package.json']);
    const missing = all.flatMap((path) =>
      importsOf(path)
        .filter(({ of }) => !isPackage(of) && !known.has(of) && !isStyle(of))
        .map(({ of }) => `${path} imports ${of}`),
    );
    expect(missing).toEqual([]);
  });
});

describe('where things are', () => {
  it('The functions read the environment where they connect, by functions/adapters/aws', () => {
    const readers = all.filter((path) => isIn('functions')(path) && /\bprocess\.env\b/.test(textOf(path)));
    expect(readers).toEqual(['functions/adapters/aws/environment.ts']);
    const importers = all.filter((path) => importsOf(path).some(({ of }) => isOneOf(...readers)(of)));
    expect(importers.filter((path) => ![isComposition, isAws, connectsPlatform].some((is) => is(path)))).toEqual([]);
  });

  it('The core has no clock and no randomness of its own', () => {
    const impure =
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandomUUID\(|\brandomBytes\(|\bsetTimeout\(|\bfetch\(|\bconsole\./;
    expect(all.filter((path) => isCore(path) && impure.test(withoutComments(path)))).toEqual([]);
  });

  it('Every folder of a function has its work called on AWS and on one machine, or on AWS alone', () => {
    const calledBy = (room: string) =>
      new Set(
        all.filter(isIn(room)).flatMap((path) => importsOf(path).flatMap(({ of }) => (isVerb(of) ? role(of, 2) : []))),
      );
    const [onAws, onMachine] = [calledBy('functions/aws'), calledBy('lib/engine')];
    expect([...onAws].sort()).toEqual(functionFolders().map((name) => `functions/${name}`));
    // There ends of builds and changes of the log are events, and an operator invokes a function.
    const onAwsAlone = ['build-ended', 'changes-signal', 'manage-users'];
    expect([...onAws].filter((name) => !onMachine.has(name))).toEqual(onAwsAlone.map((name) => `functions/${name}`));
    expect([...onMachine].filter((name) => !onAws.has(name))).toEqual([]);
  });

  it('What builds and applications have made is read by those who follow no link out of it', () => {
    const reads = /^(?:readdir|opendir|readFile|open|createReadStream|cp|copyFile)(?:Sync)?$/;
    const rooms = ['lib/builder', 'lib/platform', 'lib/runner', 'lib/files', 'lib/process'].map(isIn);
    const readers = all.filter(
      (path) =>
        rooms.some((room) => room(path)) &&
        !isIn('lib/builder/lambda')(path) &&
        namesFrom(path, /^node:fs(?:\/promises)?$/).some((name) => reads.test(name)),
    );
    expect(readers).toEqual([...READERS_OF_BUILDS, ...READERS_OF_OWN_FILES].sort());
  });

  it('The emulators name no function and no secret of this service', () => {
    const functions = functionFolders();
    // `authorize` and `sweep` are ordinary verbs; as a quoted string they are names.
    const names = new RegExp(`['"\`](?:${functions.join('|')})['"\`]|deployment-webhooks|PlatformToken|HookSecrets`);
    expect(functions.length).toBeGreaterThan(10);
    expect(all.filter((path) => isIn('test/aws-local')(path) && names.test(textOf(path)))).toEqual([]);
  });

  it('There are no default exports: a thing has one name everywhere', () => {
    expect(all.filter((path) => /^export default\b/m.test(textOf(path)))).toEqual([]);
  });

  it('No file gathers what others export, and none is named for holding this and that', () => {
    const vague = /(?:^|-)(?:index|utils?|helpers?|common|misc|managers?|shared)\.(?:tsx?|mjs)$/;
    expect(all.filter((path) => vague.test(basename(path)))).toEqual([]);
    const folders = new Set(all.flatMap((path) => dirname(path).split('/')));
    expect([...folders].filter((name) => vague.test(`${name}.ts`))).toEqual([]);
  });

  it('File names are in kebab case', () => {
    expect(all.filter((path) => !/^[a-z\d]+(?:-[a-z\d]+)*(?:\.d)?\.(?:tsx?|mjs)$/.test(basename(path)))).toEqual([]);
  });

  it('No folder holds more than 20 files, of the functions 15', () => {
    const counts = new Map<string, number>();
    for (const path of all) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    const limit = (folder: string) => (isIn('functions')(folder) ? 15 : 20);
    expect([...counts].filter(([folder, count]) => count > limit(folder))).toEqual([]);
  });

  it('No source saves lines by an object that is spread where it stands', () => {
    expect(all.filter((path) => !isIn('test')(path) && withoutComments(path).includes('...{ '))).toEqual([]);
  });

  it('No room drops more errors without a look than it did: what is expected is named, by `unless`', () => {
    const counts = new Map<string, number>();
    for (const path of all.filter((path) => !isIn('test')(path))) {
      const dropped = textOf(path).match(/\.catch\(\(\) =>/g)?.length ?? 0;
      if (dropped > 0) counts.set(role(path, 2), (counts.get(role(path, 2)) ?? 0) + dropped);
    }
    expect([...counts].filter(([room, count]) => count > (DROPPED_ERRORS[room] ?? 0))).toEqual([]);
  });

  // Not so tests: they are read from top to bottom, and a table of attacks or answers is as long as it is.
  it('A source has at most 300 lines', () => {
    expect(all.filter((path) => textOf(path).trimEnd().split('\n').length > 300)).toEqual([]);
  });
});

/** How many errors each room may drop. A number only gets smaller. */
const DROPPED_ERRORS: Readonly<Record<string, number>> = {
  'bin/local.ts': 1,
  'functions/adapters': 11,
  'functions/api': 2,
  'functions/api-app-source': 1,
  'functions/api-apps': 2,
  'functions/core': 2,
  'functions/stage-check': 1,
  'lib/builder': 21,
  'lib/bundle': 1,
  'lib/cli': 15,
  'lib/client': 1,
  'lib/engine': 4,
  'lib/files': 12,
  'lib/http': 3,
  'lib/local': 4,
  'lib/page': 5,
  'lib/platform': 17,
  'lib/process': 4,
  'lib/repohost': 0,
  'lib/runner': 12,
  'lib/terminal': 1,
};

/** Those in the table "What a build has made" of the platform's README. */
const READERS_OF_BUILDS = [
  ...['lib/builder/inside.ts', 'lib/builder/left-out.ts', 'lib/builder/manifest.ts', 'lib/builder/process/not-run.ts'],
  ...['lib/files/kept-files.ts', 'lib/files/opened.ts', 'lib/files/sqlite-files.ts'],
];
/** What they read no build and no application can write: in folders of the service alone, of the operator, of the system. */
const READERS_OF_OWN_FILES = [
  ...['lib/builder/process/npm-settings.ts', 'lib/builder/tools/tools.ts', 'lib/builder/unpack.ts'],
  ...['lib/files/atomic-file.ts', 'lib/files/disk-reserve.ts', 'lib/files/state-file.ts'],
  ...['lib/platform/build/build-log.ts', 'lib/platform/ports/upload.ts', 'lib/platform/store/folders.ts'],
  ...['lib/process/instance-lock.ts', 'lib/process/private-files.ts', 'lib/process/process-info.ts'],
  ...[
    'lib/runner/logs/rotating-file.ts',
    'lib/runner/logs/search.ts',
    'lib/runner/program/groups-files.ts',
    'lib/runner/program/spawn.ts',
  ],
  ...['lib/process/inherited-descriptors.ts', 'lib/process/sandbox-trial.ts', 'lib/runner/program/start.ts'],
  'lib/runner/week.ts',
];

/** Returns the names that a file imports of modules. */
function namesFrom(path: string, modules: RegExp): readonly string[] {
  const file = ts.createSourceFile(path, textOf(path), ts.ScriptTarget.Latest);
  return file.statements.filter(ts.isImportDeclaration).flatMap(({ moduleSpecifier, importClause }) => {
    const named = importClause?.namedBindings;
    const isOne = ts.isStringLiteral(moduleSpecifier) && modules.test(moduleSpecifier.text);
    if (!isOne || named === undefined) return [];
    return ts.isNamedImports(named)
      ? named.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
      : ['open'];
  });
}

function withoutComments(path: string): string {
  return textOf(path).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}

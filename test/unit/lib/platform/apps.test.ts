import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Tables } from '../../../../functions/adapters/stores/sqlite/tables.ts';
import {
  appFiles,
  appOf,
  deploy,
  hello,
  platform,
  refusalOf,
  serverFile,
  sharedPlatform,
} from '../../../support/platform/harness.ts';

const shared = sharedPlatform();

describe('applications', () => {
  it('a list leaves out what is removed while it is made', async () => {
    const at = await shared();
    await at.hosting.ensureApp(hello, { name: 'hello' });
    // As a removal is found in its middle.
    const half = join(at.dataDir, 'apps/ada/half/data');
    await mkdir(half, { recursive: true });

    const listed = await at.applications.list('ada');

    expect(listed.map(({ name }) => name)).toEqual(['hello']);
    await rm(join(half, '..'), { recursive: true });
  });

  it('an application of which a deploy says nothing new is not written again', async () => {
    let writes = 0;
    const counting = (tables: Tables): Tables => ({
      ...tables,
      write: (work) => {
        writes += 1;
        return tables.write(work);
      },
    });
    const at = await platform({ tables: counting });
    const put = (version: string) => at.hosting.ensureApp(appOf('same'), { name: 'same', version });
    for (const version of ['1.0.0', '1.0.0']) await put(version);
    expect(writes).toBe(1);
    await put('1.0.1');
    expect(writes).toBe(2);
  });

  it('applications with the same name in paths are told apart', async () => {
    const at = await shared();
    await at.hosting.ensureApp(appOf('scope-app'), { name: '@scope/app' });
    expect((await at.applications.find(appOf('scope-app')))?.name).toBe('@scope/app');
    expect(await refusalOf(at.hosting.ensureApp(appOf('scope-app'), { name: 'scope-app' }))).toMatchObject({
      status: 409,
    });
  });
});

describe('the environment', () => {
  it('the variables may have names that every object has a field of', async () => {
    const at = await shared();
    await at.hosting.ensureApp(hello, {});
    await at.variables.set(hello, { constructor: '1', prototype: '2' } as Record<string, string>);
    await at.variables.set(hello, { toString: '3' } as unknown as Record<string, string>);
    expect(await at.variables.read(hello)).toEqual({ constructor: '1', prototype: '2', toString: '3' });
  });

  it('the variables are passed to the application after each deploy, without those of the platform', async () => {
    const at = await platform({
      environment: { ...process.env, AWS_SECRET_ACCESS_KEY: 'hidden', NODE_OPTIONS: '--no-warnings' },
    });
    await at.hosting.ensureApp(hello, {});
    await at.variables.set(hello, { GREETING: 'hi there' });
    const server = serverFile('').replace('s.end("")', 's.end(JSON.stringify(process.env))');

    await deploy(at, 'hello', '1', appFiles('hello', server));
    const app = await deploy(at, 'hello', '2', appFiles('hello', server));
    const seen = JSON.parse(await (await fetch(app.url)).text());

    expect(seen).toMatchObject({
      GREETING: 'hi there',
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      npm_package_name: 'hello',
      // Not what the platform itself was started with.
      NODE_OPTIONS: expect.stringMatching(/^--require="[^"]*module-guard\.cjs"$/),
    });
    expect(Object.keys(seen).sort()).toEqual(
      [
        ...[
          'GREETING',
          'HOME',
          'HOST',
          'INIT_CWD',
          'NODE_ENV',
          'PATH',
          'PORT',
          'npm_config_cache',
          'npm_lifecycle_event',
        ],
        ...['DATA_DIR', 'MODULE_ROOT', 'NODE_OPTIONS', 'PLATFORM_PROCESS_MARK', 'npm_config_script_shell'],
        ...['NEXT_PRIVATE_OUTPUT_TRACE_ROOT', 'XDG_CACHE_HOME', 'npm_config_update_notifier'],
        ...['npm_lifecycle_script', 'npm_node_execpath', 'npm_package_json', 'npm_package_name', 'npm_package_version'],
      ].sort(),
    );
  });

  it('the variables are masked in the output of a failed start and absent from the events', async () => {
    const events: unknown[] = [];
    const at = await platform({ log: (event) => events.push(event) });
    await at.hosting.ensureApp(hello, {});
    await at.variables.set(hello, { KEY: 'very-secret-value' });

    const throws = 'throw new Error(process.env.KEY + " is bad")';
    const failed = await refusalOf(deploy(at, 'hello', '1', appFiles('hello', throws)));

    expect(failed.status).toBe(500);
    expect(JSON.stringify(failed)).not.toContain('very-secret-value');
    expect(JSON.stringify(events)).not.toContain('very-secret-value');
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RETENTION_SECONDS } from '../../functions/adapters/stores/retention.ts';
import { groups } from '../../functions/api/endpoints/endpoints.ts';
import { SETTING_NAMES, settingOf } from '../../functions/core/apps/settings.ts';
import { errors } from '../../functions/core/errors.ts';
import { MAX_PAYLOAD_BYTES } from '../../functions/core/payload/payload.ts';
import { MAX_ATTEMPTS } from '../../functions/core/pipeline/stage-failure.ts';
import { TARBALL_LIMITS } from '../../functions/core/tarball/limits.ts';
import { LIMITS } from '../../lib/engine/http/limits.ts';
import { runbook } from '../../lib/stack/alarms/runbook.ts';
import { PARAMETERS } from '../../lib/stack/parameter-table.ts';
import { table, withGenerated } from '../support/documents/markdown.ts';

const document = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const codes = document('functions/api-documents/README.md');
const stack = document('lib/stack/README.md');

describe('functions/api-documents/README.md', () => {
  it('has the catalogue of errors as the code has it', () => {
    const rows = [...codes.matchAll(/^\| `([^`]+)` \| (\d+) \| (yes|no) \| (.+) \|$/gm)];
    const told = rows.map(([, code, status, again, title]) => ({ code, status, again, title }));
    const known = Object.entries(errors).map(([code, { status, retry, title }]) => ({
      code,
      status: String(status),
      again: retry ? 'yes' : 'no',
      title,
    }));
    expect(told).toEqual(known);
  });
});

describe('The READMEs of the API and of the applications', () => {
  it.each([
    ['functions/api/README.md', ['deploy', 'status', 'login', 'documents'], '/1/status/<user>'],
    ['functions/api-apps/README.md', ['applications'], '/1/apps/<user>/<application>'],
  ])('%s has the endpoints as OpenAPI describes them (vitest -u updates it)', async (path, names, prefix) => {
    const parts = { endpoints: endpointTable(names).replaceAll(`${prefix}/`, '…/') };
    await expect(withGenerated(document(path), parts)).toMatchFileSnapshot(`../../${path}`);
  });
});

describe('The README of the builder', () => {
  it('has the settings as their table has them (vitest -u updates it)', async () => {
    const rows = SETTING_NAMES.map((name) => {
      const { about, notInPackage, notOn } = settingOf(name);
      const reasons = [
        notInPackage && `not in package.json: ${notInPackage}`,
        notOn && Object.values(notOn).join(', '),
      ];
      return [`\`${name}\``, [about, ...reasons.filter(Boolean)].join('; ')];
    });
    const path = 'lib/builder/README.md';
    const parts = { settings: table(['setting', 'what it is'], rows) };
    await expect(withGenerated(document(path), parts)).toMatchFileSnapshot(`../../${path}`);
  });
});

/** Returns one row for each endpoint of these groups; those that do the same share one. */
function endpointTable(names: readonly string[]): string {
  const bySummary = new Map<string, string[]>();
  for (const [endpoint, { summary }] of names.flatMap((name) => Object.entries(groups[name]?.endpoints ?? {}))) {
    bySummary.set(summary, [...(bySummary.get(summary) ?? []), shown(endpoint)]);
  }
  return table(
    ['method and path', 'what it does'],
    [...bySummary].map(([summary, endpoints]) => [endpoints.join(', '), summary]),
  );
}

function shown(endpoint: string): string {
  return `\`${endpoint.replaceAll(/\{(\w+)\}/g, '<$1>').replace('<repository>', '<repository>.svg')}\``;
}

describe('lib/engine/README.md', () => {
  it('has the limits of HTTP as the code has them', () => {
    const [, table = ''] = document('lib/engine/README.md').split(/<!-- \/?limits -->/);
    const told = [...table.matchAll(/^\| `(\w+)` \| (.+?) \|/gm)].map(([, name, value]) => [name, value]);
    const known = Object.entries(LIMITS).map(([name, value]) => {
      if (name.endsWith('Bytes')) return [name, `${value / 1024 ** 2} MiB`];
      return [name, name.endsWith('Ms') ? `${value / 1000} s` : String(value)];
    });
    expect(told).toEqual(known);
  });
});

describe('lib/stack/README.md', () => {
  it('names the limits of the code', () => {
    const told = Object.fromEntries(
      [...stack.matchAll(/^\| ([a-z ]+) \| (.+) \|$/gm)].map(([, what, much]) => [what, much]),
    );
    const [MiB, GiB, day] = [1024 ** 2, 1024 ** 3, 24 * 60 * 60];
    const entries = String(TARBALL_LIMITS.entries).replace(/000$/, ' 000');
    const { change, payload, delivery } = RETENTION_SECONDS;
    const kept = `changes ${change / day} days, payloads ${payload / day} days, deliveries' ids ${delivery / day} days`;
    expect(told['body of a webhook']).toBe(`${MAX_PAYLOAD_BYTES / MiB} MiB`);
    expect(told.tarball).toBe(
      `${TARBALL_LIMITS.bytes / MiB} MiB packed, ${TARBALL_LIMITS.unpackedBytes / GiB} GiB unpacked, ${entries} entries`,
    );
    expect(told['a stage']).toContain(`${MAX_ATTEMPTS === 5 ? 'five' : MAX_ATTEMPTS} tries`);
    expect(told.kept).toContain(kept);
  });

  it('has every parameter of the stack with its default', () => {
    const rows = [...stack.matchAll(/^\| `([A-Z]\w+)` \| (.*?) ?\| .+ \|$/gm)];
    const told = rows.map(([, name, fallback = '']) => [name, fallback.replaceAll('`', '')]);
    const defaults = Object.entries(PARAMETERS).map(([name, props]) => [name, String(props.default)]);
    // The list of hosts would fill the table.
    const known = defaults.map(([name, fallback]) => [name, name === 'RepositoryHosts' ? 'GitHub' : fallback]);
    expect(told).toEqual(known);
  });

  it('has beside it a section for every alarm', () => {
    const headings = [...document('lib/stack/alarms/README.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    expect(headings.map((heading) => heading?.toLowerCase().replaceAll(' ', '-'))).toEqual([...runbook]);
  });
});

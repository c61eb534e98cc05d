import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { type Endpoint, endpoints } from '../../../../../functions/api/endpoints/endpoints.ts';
import type { Operation, Schema } from '../../../../../functions/api/endpoints/openapi.ts';
import { routes } from '../../../../../functions/api/routes.ts';
import { Status } from '../../../../../functions/api/shapes/entry.ts';
import { row } from '../../../../../functions/api/views.ts';
import { openApi } from '../../../../../functions/api-documents/openapi/document.ts';
import { codesOf, isEndOfStream } from '../../../../../functions/api-documents/openapi/responses.ts';
import { type ErrorCode, errors } from '../../../../../functions/core/errors.ts';
import packageJson from '../../../../../package.json' with { type: 'json' };
import { validator } from '../../../../support/described.ts';
import { entry } from '../../../../support/entries.ts';

const base = 'https://deploy.example.com';
const api = openApi(base);
const described = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ place: `${method.toUpperCase()} ${path}`, operation })),
);

/** Every `$ref` of a value. */
function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => (name === '$ref' ? [String(part)] : references(part)));
}

function parametersOf({ parameters = [] }: Operation) {
  return parameters.map((one) => ('$ref' in one ? api.components.parameters[one.$ref.split('/').at(-1) ?? ''] : one));
}

describe('the description of the API', () => {
  it('is OpenAPI 3.1, of the version of the service, at the address that was asked', () => {
    expect(api).toMatchObject({ openapi: '3.1.0', info: { version: packageJson.version }, servers: [{ url: base }] });
  });

  it('is valid by the schema that the OpenAPI Initiative publishes', () => {
    const published = new URL('../../../../fixtures/openapi/schema-3.1.json', import.meta.url);
    // The schema has words that only its authors' own tools know.
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats.default(ajv);
    ajv.addFormat('media-range', true);
    const check = ajv.compile(JSON.parse(readFileSync(published, 'utf8')));
    check(api);
    expect(check.errors).toBeNull();
    // It does refuse what is none.
    expect(check({ ...api, paths: { '/1/deploy': { post: { responses: { '200': {} } } } } })).toBe(false);
  });

  it('has exactly the endpoints of the service', () => {
    expect(described.map(({ place }) => place).sort()).toEqual(
      routes.map(({ method, path }) => `${method} ${path}`).sort(),
    );
    expect(Object.keys(endpoints)).toHaveLength(routes.length);
  });

  it('requires a login exactly where the service does', () => {
    for (const { method, path, login } of routes) {
      const operation = api.paths[path]?.[method.toLowerCase()];
      expect(operation?.security, `${method} ${path}`).toEqual(login === 'none' ? [] : undefined);
    }
  });

  it('has every error code at some endpoint or among the answers to unknown paths', () => {
    const ofEndpoints = routes.flatMap((route) =>
      codesOf(route, endpoints[`${route.method} ${route.path}` as Endpoint]),
    );
    const told = new Set([...ofEndpoints, 'request:not_found', 'request:method_not_allowed']);
    expect([...told].sort()).toEqual(Object.keys(errors).sort());
  });

  it('has each code under its status', () => {
    for (const { place, operation } of described) {
      for (const [status, answer] of Object.entries(operation.responses)) {
        const codes = Object.values('content' in answer ? (answer.content ?? {}) : {}).flatMap(
          ({ schema }) => schema?.allOf?.[1]?.properties?.code?.enum ?? [],
        );
        for (const code of codes) expect(errors[code as ErrorCode].status, `${place} ${code}`).toBe(Number(status));
        expect(codes.some((code) => isEndOfStream(code as ErrorCode))).toBe(false);
      }
    }
  });

  it('has no reference to something that it has not, and nothing that is not used', () => {
    const used = new Set(references(api));
    const kinds = ['schemas', 'parameters', 'headers'] as const;
    const known = kinds.flatMap((kind) =>
      Object.keys(api.components[kind]).map((name) => `#/components/${kind}/${name}`),
    );
    expect([...used].sort()).toEqual(known.sort());
  });

  it('has every variable of a path as its parameter, and no parameter twice', () => {
    for (const { place, operation } of described) {
      const parameters = parametersOf(operation).map((one) => `${one?.in} ${one?.name}`);
      const variables = [...place.matchAll(/\{(\w+)\}/g)].map(([, name]) => `path ${name}`);
      expect(parameters.filter((one) => one.startsWith('path '))).toEqual(variables);
      expect(new Set(parameters).size).toBe(parameters.length);
    }
  });

  it('names each operation once, in words', () => {
    const names = described.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { operation } of described) expect(operation.summary).toMatch(/^[A-Z][^.]*$/);
  });

  it('has headers for the request id and the version on every answer', () => {
    for (const { operation } of described) {
      for (const answer of Object.values(operation.responses)) {
        expect(answer).toMatchObject({ headers: { 'x-api-uuid': {}, 'x-api-version': {} } });
      }
    }
  });
});

/** Every answer with its status and schema, and every field with its type, a line each. */
function outline(): string {
  const refs = (value: unknown) => [...new Set(references(value))].map((one) => one.split('/').at(-1)).join(' ');
  const answers = described.flatMap(({ place, operation }) =>
    Object.entries(operation.responses).flatMap(([status, answer]) =>
      Object.entries('content' in answer ? (answer.content ?? {}) : { nothing: {} }).map(
        ([type, { schema }]) => `${place} ${status} ${type} ${refs(schema)}`,
      ),
    ),
  );
  const fields = Object.entries(api.components.schemas).flatMap(([name, schema]) => fieldsOf(name, schema));
  return `${[...answers, ...fields].map((line) => line.trim()).join('\n')}\n`;
}

function fieldsOf(name: string, { properties, required = [], ...schema }: Schema): string[] {
  const own = properties ? [] : [`${name} ${typeOf(schema)}`];
  const fields = Object.entries(properties ?? {}).map(
    ([field, one]) => `${name}.${field}${required.includes(field) ? '' : '?'} ${typeOf(one)}`,
  );
  return [...own, ...fields];
}

function typeOf({ $ref, anyOf, enum: words, const: word, type, format, items, prefixItems }: Schema): string {
  if ($ref) return $ref.split('/').at(-1) ?? '';
  if (anyOf) return anyOf.map(typeOf).join(' | ');
  if (words) return words.map(String).join(' ');
  if (prefixItems) return `[${prefixItems.map(typeOf)}]`;
  return typeof items === 'object' ? `(${typeOf(items)})[]` : String(word ?? format ?? type);
}

describe('the schemas', () => {
  it('are those that clients know: what changes here is a change of the API', async () => {
    await expect(outline()).toMatchFileSnapshot('../../../../fixtures/openapi/outline.txt');
  });

  it.each(Object.keys(api.components.schemas))('%s is a JSON Schema', (name) => {
    expect(validator(`/components/schemas/${name}`)).toBeTypeOf('function');
  });

  it.each(Status.options)('describe an entry that is %s, with its document', (status) => {
    const check = validator('/components/schemas/Entry');
    const shown = row(entry({ status }), { base, docs: 'true' });
    expect(check(shown), JSON.stringify(check.errors)).toBe(true);
    expect(check({ ...shown, surprise: 1 })).toBe(false);
  });
});

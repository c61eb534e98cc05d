import type { Document } from '../../cached.ts';
import { escaped, htmlDocument, withCode } from '../../html.ts';
import type { OpenApi, Operation } from '../types.ts';
import { operationSection } from './operation.ts';
import { schemaSection } from './schema.ts';
import { STYLE } from './style.ts';

/** One operation with its place. */
interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

/** Returns the description of the API as a page. */
export function openApiPage(api: OpenApi): Document {
  const placed = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
  const schemas = Object.entries(api.components.schemas);
  return htmlDocument({
    title: `API ${api.info.version} · Deployment Webhooks`,
    style: STYLE,
    body: [
      `<h1>${escaped(String(api.info.title))} <small>${escaped(String(api.info.version))}</small></h1>`,
      ...String(api.info.description)
        .split('\n\n')
        .map((text) => `<p>${withCode(text)}</p>`),
      '<p><a href="openapi.json">openapi.json</a> · <a href="../errors">error codes</a></p>',
      contents(api, placed),
      ...api.tags.map(({ name, description }) => group(name, description, placed)),
      '<h2 id="schemas">Schemas</h2>',
      ...schemas.map(([name, schema]) => schemaSection(name, schema)),
    ].join('\n'),
  });
}

function contents({ tags }: OpenApi, placed: readonly Placed[]): string {
  const groups = tags.map(({ name }) => {
    const items = ofTag(name, placed).map(
      ({ method, path, operation }) =>
        `<li><a href="#${operation.operationId}"><code>${method} ${escaped(path)}</code></a> ${withCode(operation.summary)}</li>`,
    );
    return `<li><a href="#${name}">${name}</a><ul>${items.join('')}</ul></li>`;
  });
  return `<nav aria-label="Contents"><ul>${groups.join('')}<li><a href="#schemas">schemas</a></li></ul></nav>`;
}

function group(name: string, description: string, placed: readonly Placed[]): string {
  const sections = ofTag(name, placed).map(({ method, path, operation }) =>
    operationSection(`${method} ${path}`, operation),
  );
  return `<h2 id="${name}">${name}</h2>\n<p>${withCode(description)}</p>\n${sections.join('\n')}`;
}

function ofTag(name: string, placed: readonly Placed[]): readonly Placed[] {
  return placed.filter(({ operation }) => operation.tags[0] === name);
}

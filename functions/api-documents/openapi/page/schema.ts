import { escaped, withCode } from '../../html.ts';
import type { Schema } from '../types.ts';
import { table } from './table.ts';

/** Returns the section of a schema. */
export function schemaSection(name: string, schema: Schema): string {
  return [
    `<section id="schema-${name}">`,
    `<h3><a href="#schema-${name}">${name}</a></h3>`,
    ...(schema.description ? [`<p>${withCode(schema.description)}</p>`] : []),
    schema.properties ? propertiesTable(schema) : `<p>${schemaInWords(schema)}</p>`,
    '</section>',
  ].join('\n');
}

function propertiesTable({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([name, schema]) => [
    `<code>${escaped(name)}</code>`,
    `${schemaInWords(schema)}${required.includes(name) ? '' : ', optional'}`,
    withCode(schema.description ?? ''),
  ]);
  return table(['field', 'value', 'meaning'], rows);
}

/** Returns in a few words, as HTML, which values a schema describes. */
export function schemaInWords(schema: Schema): string {
  if (schema.$ref) return link(schema.$ref.split('/').at(-1) ?? '');
  const either = schema.oneOf ?? schema.allOf;
  if (either) return either.map(schemaInWords).join(' or ');
  return [kind(schema), range(schema), preset(schema)].filter((text) => text !== '').join(', ');
}

function link(name: string): string {
  return `<a href="#schema-${name}">${name}</a>`;
}

function kind({ enum: words, const: word, type, format, items, properties }: Schema): string {
  if (words) return words.map((one) => `<code>${escaped(one === '' ? '""' : String(one))}</code>`).join(' ');
  if (word !== undefined) return `<code>${escaped(word)}</code>`;
  if (items) return `array of ${schemaInWords(items)}`;
  const types = [type ?? []].flat().map((one) => (one === 'string' && format ? format : one));
  const fields = properties
    ? ` with ${Object.keys(properties)
        .map((name) => `<code>${escaped(name)}</code>`)
        .join(', ')}`
    : '';
  return `${types.join(' or ')}${fields}`;
}

function range({ minimum, maximum, maxLength, pattern }: Schema): string {
  if (pattern) return `<code>${escaped(pattern)}</code>`;
  if (maxLength !== undefined) return `at most ${maxLength} characters`;
  if (minimum === undefined) return '';
  return maximum === undefined ? `${minimum} or more` : `${minimum} to ${maximum}`;
}

function preset({ default: value }: Schema): string {
  return value === undefined ? '' : `default <code>${escaped(String(value))}</code>`;
}

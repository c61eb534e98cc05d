import { escaped, withCode } from '../../html.ts';
import { pathParameters, sharedParameters } from '../components.ts';
import type { Answer, Content, Operation, Parameter, Ref, RequestBody } from '../types.ts';
import { schemaInWords } from './schema.ts';
import { table } from './table.ts';

/** Returns the section of an operation; `place` is its method and path. */
export function operationSection(place: string, operation: Operation): string {
  const { operationId, summary, description, parameters = [], requestBody, security, responses } = operation;
  return [
    `<section id="${operationId}">`,
    `<h3><a href="#${operationId}"><code>${escaped(place)}</code></a></h3>`,
    `<p>${withCode(summary)}.${security?.length === 0 ? ' Without login.' : ''}</p>`,
    ...(description ? [`<p>${withCode(description)}</p>`] : []),
    parametersTable(parameters.map(resolved)),
    ...(requestBody ? [body(requestBody)] : []),
    answersTable(responses),
    '</section>',
  ].join('\n');
}

function resolved(one: Parameter | Ref): Parameter {
  if (!('$ref' in one)) return one;
  const name = one.$ref.split('/').at(-1) ?? '';
  const found = pathParameters[name] ?? sharedParameters[name];
  if (!found) throw new Error(`There is no parameter ${name} in the description of the API.`);
  return found;
}

function parametersTable(parameters: readonly Parameter[]): string {
  const rows = parameters.map((one) => [
    `<code>${escaped(one.name)}</code>`,
    one.in,
    schemaInWords(one.schema),
    withCode(one.description),
  ]);
  return table(['parameter', 'in', 'value', 'meaning'], rows);
}

function body({ description, content }: RequestBody): string {
  return `<p><strong>Body</strong> ${contentInWords(content)} ${withCode(description)}</p>`;
}

function answersTable(responses: Operation['responses']): string {
  const rows = Object.entries(responses).map(([status, answer]) => {
    const { description, content = {} } = answer as Answer;
    return [status, description.split('\n\n').map(withCode).join('<br>'), contentInWords(content)];
  });
  return table(['answer', 'when', 'body'], rows);
}

function contentInWords(content: Content): string {
  return Object.entries(content)
    .map(([type, { schema = {} }]) => {
      const shown = schema.allOf?.[0] ?? schema;
      return `<code>${escaped(type)}</code>${shown.$ref ? ` ${schemaInWords(shown)}` : ''}`;
    })
    .join('<br>');
}

import { query, wholeNumber } from './parameters.ts';

type Query = Readonly<Record<string, string | undefined>>;

/** Which items of a list are wanted: how many, and how many others come before them. */
interface PageAsked {
  readonly skip: number;
  readonly limit: number;
}

interface PageRequest {
  readonly base: string;
  readonly path: string;
  readonly query: Query;
}

/** Returns the parameters of a list in pages; `what` are its items, `size` of which a page has by default. */
export function pageParameters(what: string, size: number) {
  return {
    limit: query('limit', `${what} of a page; it has fewer when more would not fit into 6 MB.`, {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: size,
    }),
    skip: query('skip', `${what} before the page.`, { type: 'integer', minimum: 0, default: 0 }),
  };
}

export const logPage = pageParameters('Rows', 10);
export const applicationPage = pageParameters('Applications', 100);

/** Returns `skip` and `limit` of the query. Throws `request:bad_parameter`. */
export function pageIn(query: Query, { skip, limit }: ReturnType<typeof pageParameters>): PageAsked {
  return { skip: wholeNumber(query, skip), limit: wholeNumber(query, limit) };
}

/**
 * What an answer of Lambda may have, 6 MB, less what surrounds the rows. The page of a user whose deploys all fail with
 * long logs could pass it.
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html
 */
const MAX_BYTES = 6 * 1024 * 1024 - 64 * 1024;

/**
 * Returns as many of the rows, from the first, as one answer can hold; one at least. The rest is on the next page.
 *
 * @param maxBytes how many bytes they may have together
 */
export function fitting<Row>(rows: readonly Row[], maxBytes = MAX_BYTES): readonly Row[] {
  let bytes = 0;
  for (const [index, row] of rows.entries()) {
    bytes += bytesOf(row);
    if (bytes > maxBytes && index > 0) return rows.slice(0, index);
  }
  return rows;
}

/** The body is a string in the JSON of Lambda's answer, so a quote in a log is a quote and three backslashes there. */
function bytesOf(row: unknown): number {
  return Buffer.byteLength(JSON.stringify(JSON.stringify(row)));
}

/**
 * Returns the header `Link` with the next and the previous page (RFC 8288), or no header when there is neither.
 *
 * @param next how many items come before the next page
 */
export function pageLinks(
  request: PageRequest,
  { skip, limit, next }: PageAsked & { readonly next: number },
  total: number,
): { readonly link?: string } {
  const links = [
    ...(next < total ? [pageLink(request, { skip: next, limit }, 'next')] : []),
    ...(skip > 0 ? [pageLink(request, { skip: Math.max(0, skip - limit), limit }, 'prev')] : []),
  ];
  return links.length > 0 ? { link: links.join(', ') } : {};
}

function pageLink({ base, path, query }: PageRequest, { skip, limit }: PageAsked, rel: string): string {
  const search = new URLSearchParams({
    limit: String(limit),
    skip: String(skip),
    ...(query.include_docs && { include_docs: query.include_docs }),
  });
  return `<${base}${path.replace(/(?<!\/)\/+$/, '')}?${search}>; rel="${rel}"`;
}

import { type Entry, pageAddress } from '../entry/entry.ts';
import { descriptionOf, isNeedless } from '../entry/outcome.ts';
import type { PullRequestComment } from '../ports/repository-host.ts';

/**
 * Returns the comment that an entry of a preview asks for, as Markdown. `serving` is the entry that the application runs,
 * if it is another one. A comment begins with a result, or with what a person must do.
 */
export function commentOf(entry: Entry, serving: Entry | null): Omit<PullRequestComment, 'pullRequest'> {
  const { appName, repository, base, path = '' } = entry;
  const of = [entry.user, path].map(encodeURIComponent).join('/');
  const marker = `<!-- deployment-webhooks: preview ${of} -->`;
  const log = base === '' ? '' : ` · [log](${pageAddress(base, entry)})`;
  const still = serving?.url ? `${serving.url} has the commit ${shortSha(serving)}.` : null;
  const lines = [marker, `**Preview ${code(appName ?? repository?.name ?? '')}**${log}`, sentence(entry), still];
  return {
    marker,
    body: lines.filter((line) => line !== null).join('\n\n'),
    creates: ['ok', 'crashed', 'error', 'held'].includes(entry.status) && entry.operation !== 'remove',
  };
}

function sentence(entry: Entry): string {
  const { status, operation, url } = entry;
  const commit = `The commit ${shortSha(entry)}`;
  if (operation === 'remove') return 'Removed.';
  if (status === 'ok') return `${url ?? 'It'} has the commit ${shortSha(entry)}.`;
  if (status === 'crashed') return `${commit} crashes: ${code(descriptionOf(entry))}`;
  if (status === 'held') return `${commit} waits: ${code(descriptionOf(entry))}`;
  if (status === 'error' || isNeedless(entry)) return `${commit} was not deployed: ${code(descriptionOf(entry))}`;
  return `${commit} is being deployed.`;
}

function shortSha({ sha }: Entry): string {
  return code(sha?.slice(0, 10) ?? '');
}

/** Quotes untrusted text as code in Markdown, so that it mentions nobody and formats nothing. */
function code(text: string): string {
  return `\`${text.replaceAll('`', "'")}\``;
}

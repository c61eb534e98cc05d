import { join } from 'node:path';
import * as v from 'valibot';
import { readStateSync, writeStateSync } from '../../files/state-file.ts';

const PreviewsSchema = v.object({
  /** The highest number that a preview of the repository has had: none is given twice. */
  last: v.number(),
  open: v.array(v.object({ number: v.number(), branch: v.string() })),
});

/** The branches of a bare repository that are previewed, each by the number of its preview. */
type Previews = v.InferOutput<typeof PreviewsSchema>;

/** Returns the previews of a bare repository. Throws an `OperatorError` when their record is damaged. */
export function readPreviews(folder: string): Previews {
  return readStateSync(fileIn(folder), PreviewsSchema) ?? { last: 0, open: [] };
}

/** Returns the number of the preview of a branch; null without one. */
export function previewOf(folder: string, branch: string): number | null {
  return readPreviews(folder).open.find((preview) => preview.branch === branch)?.number ?? null;
}

/** Returns the number of the preview of a branch, which gets one unless it has one. */
export function openPreview(folder: string, branch: string): number {
  const { last, open } = readPreviews(folder);
  const current = previewOf(folder, branch);
  if (current !== null) return current;
  const number = last + 1;
  writeStateSync(fileIn(folder), { last: number, open: [...open, { number, branch }] });
  return number;
}

/** Ends the preview of a branch. */
export function closePreview(folder: string, branch: string): void {
  const { last, open } = readPreviews(folder);
  writeStateSync(fileIn(folder), { last, open: open.filter((preview) => preview.branch !== branch) });
}

function fileIn(folder: string): string {
  return join(folder, 'previews.json');
}

import { describe } from 'vitest';
import { abbreviatedPreviewContract } from '../../contracts/abbreviated-previews.ts';
import { pipelineContract } from '../../contracts/pipeline.ts';
import { previewCiContract } from '../../contracts/preview-ci.ts';
import { previewContract } from '../../contracts/previews.ts';
import { watchedPreviewContract } from '../../contracts/watched-previews.ts';
import { memoryLog } from '../../fakes/deploy-log.ts';

describe('the pipeline on the log in memory', () => {
  const open = () => {
    const log = memoryLog();
    return {
      log,
      reader: log,
      facts: log,
      appFacts: log,
      tracked: log,
      settings: log.settings,
      backlog: log,
      user: 'ann',
    };
  };
  pipelineContract(open, 100);
  previewContract(open);
  previewCiContract(open);
  watchedPreviewContract(open);
  abbreviatedPreviewContract(open);
});

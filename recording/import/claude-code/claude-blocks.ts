import { type Fields, fieldsIn, fieldsOf, textIn } from '../fields.ts';

/** The blocks of a line's message: a text alone is one. */
export function blocksOf(line: Fields): Fields[] {
  const { content } = fieldsIn(line, 'message');
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.map(fieldsOf) : [];
}

/** What blocks say in words. An image is named. */
export function textOfBlocks(blocks: readonly Fields[]): string {
  return blocks
    .flatMap((block) => {
      const type = textIn(block, 'type');
      if (type === 'text') return textIn(block, 'text') ?? [];
      if (type !== 'image' && type !== 'document') return [];
      return `[${type} ${textIn(fieldsIn(block, 'source'), 'media_type') ?? ''}]`.replace(' ]', ']');
    })
    .join('\n\n');
}

/** What an answer to a numbered list chooses: places from 0, or a sentence that says what is wrong with it. */
export function chosenBy(answer: string, listed: number): readonly number[] | string {
  const words = answer.trim().toLowerCase();
  const all = [...Array(listed).keys()];
  if (words === `all ${listed}`) return all;
  if (words.startsWith('all')) return `To choose all of them, type: all ${listed}`;
  const chosen = new Set<number>();
  for (const part of words.split(/[\s,]+/).filter((one) => one !== '')) {
    const [, first, last = first] = /^(\d{1,6})(?:-(\d{1,6}))?$/.exec(part) ?? [];
    if (first === undefined) return `"${part}" is no number of the list.`;
    const [from, to] = [Number(first), Number(last)];
    if (from < 1 || to > listed || from > to) return `The list goes from 1 to ${listed}.`;
    for (const place of all.slice(from - 1, to)) chosen.add(place);
  }
  return [...chosen];
}

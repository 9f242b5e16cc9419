// Terms and what they are, side by side.

/** @param {{items: ([string, string, boolean?] | false)[]}} props the last: in fixed width */
export function Facts({ items }) {
  return (
    <dl class="facts">
      {items.filter((item) => item && item[1] !== '').map(([term, fact, isCode]) => (
        <div key={term} class={isCode ? 'long' : ''}>
          <dt><bdi>{term}</bdi></dt>
          <dd class={isCode ? 'mono' : ''}><bdi>{fact}</bdi></dd>
        </div>
      ))}
    </dl>
  );
}

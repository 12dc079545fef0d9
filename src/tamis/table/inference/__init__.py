"""What a column is, decided from its values, with the reason.

Read `kinds` (the decision), `distinct_texts` and `missing`, then the kinds: `parse_numbers`, `amounts`, `quantity`,
`dates`, `ordinal`, `word_columns`, `text_words`; `declared_types` and `decided_rows` follow decisions made elsewhere.
"""

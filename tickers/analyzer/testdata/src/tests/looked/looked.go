package looked

"""Training levels of geometry problems: the names of the templates of each level, easiest first.

A template (kind of problem) is easy if two steps of arithmetic on the numbers of the statement, without program or
figure, often give the answer. The share of such answers falls from all to none. Templates with equal shares are in the
order of the taxonomy of the GeoGramBench paper (primitive, compositional, abstract).

The seed of a training row is derived also from its level, so that it never has the random stream of a test row.
"""

#: The names of the templates of each level; each template is in one.
LEVELS: tuple[tuple[str, ...], ...] = (
    ("equal_marks", "exterior_angle", "inscribed_angle", "right_triangle", "second_altitude", "trapezoid_area"),
    (
        *("chord_distance", "points_on_line", "right_triangle_median"),
        *("common_chord", "common_tangent", "cyclic_quadrilateral", "tangential_quadrilateral", "trapezoid_diagonals"),
        "zigzag",
    ),
    (
        *("angles_on_line", "rectangle_diagonal", "rhombus"),
        *("incircle_contact", "mirror_path", "parallel_cut", "tangent_points"),
        *("ant_on_a_box", "net_of_a_box", "section_of_a_box"),
    ),
    (
        *("parallelogram", "polygon_prism", "sector", "stadium"),
        *("altitude_on_hypotenuse", "power_of_a_point"),
        *("fold_to_side", "pyramid", "two_reflections"),
    ),
    (
        *("triangle_circle", "two_cevians"),
        *("carved_triangle", "sliding_rod", "sphere_in_cone", "swept_segment", "thread_on_cylinder"),
    ),
    (
        *("angle_bisector", "crossed_ladders", "half_discs", "square_in_triangle"),
        *("nested_squares", "stacked_bricks", "tether"),
    ),
    ("concentric_ring", "median_length", "perpendicular_medians", "third_circle", "solid_of_revolution"),
    (
        *("around_a_polygon", "cone_from_sector", "corner_tetrahedron", "fold_corner_to_corner"),
        *("rolling_rectangle", "segment_spiral"),
    ),
)
